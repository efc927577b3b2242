// Parses the playlists in a folder with a strict third-party parser, and prints the result as JSON.
//
// Usage: node playlists.mjs FOLDER
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import HLS from "hls-parser";

HLS.setOptions({ strictMode: true });
const folder = process.argv[2];
const parse = (name) => HLS.parse(readFileSync(join(folder, name), "utf8"));

const variant = ({ uri, isIFrameOnly, bandwidth, averageBandwidth, codecs, frameRate, videoRange, ...rest }) => ({
  uri,
  isIFrameOnly,
  bandwidth,
  averageBandwidth,
  codecs,
  frameRate,
  videoRange,
  closedCaptions: rest.closedCaptions,
  sounds: rest.audio.map(({ uri }) => uri),
  subtitles: rest.subtitles.map(({ uri, language, name, isDefault }) => ({ uri, language, name, isDefault })),
});

const media = ({ targetDuration, isIFrame, endlist, segments }) => ({
  targetDuration,
  isIFrame,
  endlist,
  durations: segments.map(({ duration }) => duration),
  bytes: segments.map(({ byterange }) => byterange?.length ?? null),
});

const master = parse("master.m3u8");
const names = readdirSync(folder).filter((name) => name.endsWith(".m3u8") && name !== "master.m3u8");
const playlists = Object.fromEntries(names.map((name) => [name, media(parse(name))]));
console.log(JSON.stringify({ variants: master.variants.map(variant), playlists }));
