// Plays clips in which a beep begins whenever the picture turns white, and measures the offset between the two.
//
// OPTIONS is replaced by { master, manifest, reference, seconds }: the addresses of a master playlist, of a DASH
// manifest and of a clip that is in sync by construction. Resolves to one measurement for each player: the offsets of
// all beeps in milliseconds (negative: the sound leads), whether the player reached the end, and the codec of the
// pictures, if the player tells.
const options = OPTIONS;

const attach = {
    reference: async video => { video.src = options.reference; },
    native: async video => { video.src = options.master; },
    hls: async (video, log) => {
        const hls = new Hls({ enableWorker: false });
        hls.on(Hls.Events.ERROR, (_, error) => log.push(`${error.details}${error.fatal ? ' (fatal)' : ''}`));
        hls.loadSource(options.master);
        hls.attachMedia(video);
        video.codec = () => hls.levels[hls.loadLevel]?.videoCodec;
    },
    dash: async (video, log) => {
        const player = new shaka.Player();
        player.addEventListener('error', ({ detail }) => log.push(`shaka-player ${detail.code}`));
        await player.attach(video);
        await player.load(options.manifest);
        video.codec = () => player.getVariantTracks().find(track => track.active)?.videoCodec;
    },
    // Appends all bytes of one rendition, as the simplest player would.
    mse: async video => {
        const master = await (await fetch(options.master)).text();
        const folder = options.master.replace(/[^/]*$/, '');
        const codecs = master.match(/STREAM-INF.*CODECS="([^"]*)"/)[1].split(',');
        const list = master.split('\n').find(line => line.endsWith('p.m3u8'));
        const files = [[`video/mp4; codecs="${codecs[0]}"`, list.replace('m3u8', 'mp4')]];
        files.push([`audio/mp4; codecs="${codecs[1]}"`, 'sound.mp4']);
        const source = new MediaSource();
        video.src = URL.createObjectURL(source);
        await new Promise(resolve => source.addEventListener('sourceopen', resolve, { once: true }));
        const buffers = files.map(([type]) => source.addSourceBuffer(type));
        await Promise.all(files.map(async ([, name], index) => {
            const bytes = await (await fetch(folder + name)).arrayBuffer();
            const done = new Promise(resolve => buffers[index].addEventListener('updateend', resolve, { once: true }));
            buffers[index].appendBuffer(bytes);
            await done;
        }));
        source.endOfStream();
    },
};

// The brightness of a corner of the picture, from 0 to 255.
const canvas = document.createElement('canvas');
canvas.width = canvas.height = 2;
const pixels = canvas.getContext('2d', { willReadFrequently: true });
const brightness = video => {
    pixels.drawImage(video, 0, 0, 2, 2);
    return pixels.getImageData(0, 0, 1, 1).data[0];
};

const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function measure(player) {
    const log = [], flashes = [], beeps = [], clock = [];
    const video = document.createElement('video');
    document.body.append(video);
    const audio = new AudioContext({ sampleRate: 48000 });
    await audio.resume();
    const processor = audio.createScriptProcessor(256, 1, 1);
    audio.createMediaElementSource(video).connect(processor);
    processor.connect(audio.destination);
    let loud = 0, white = false, ended = false;
    processor.onaudioprocess = event => {
        const samples = event.inputBuffer.getChannelData(0);
        const stamp = audio.getOutputTimestamp();
        for (let index = 0; index < samples.length; index++) {
            if (Math.abs(samples[index]) > 0.1) {
                const time = event.playbackTime + index / audio.sampleRate;
                if (time - loud > 0.3) beeps.push(stamp.performanceTime + (time - stamp.contextTime) * 1000);
                loud = time;
            }
        }
    };
    video.addEventListener('error', () => log.push(`video: ${video.error.message}`));
    const onFrame = (now, frame) => {
        const is = brightness(video) > 128;
        if (is && !white) flashes.push(frame.mediaTime);
        white = is;
        video.requestVideoFrameCallback(onFrame);
    };
    video.requestVideoFrameCallback(onFrame);
    await attach[player](video, log);
    const timer = setInterval(() => {
        if (!video.paused && video.currentTime > 0.3) clock.push(video.currentTime - performance.now() / 1000);
    }, 5);
    const end = new Promise(resolve => {
        video.addEventListener('ended', () => { ended = true; resolve(); });
        setTimeout(resolve, (options.seconds + 15) * 1000);
    });
    await video.play().catch(error => log.push(String(error)));
    await end;
    clearInterval(timer);
    const shift = median(clock);
    const heard = beeps.map(time => time / 1000 + shift);
    const offsets = heard.map(time => {
        const nearer = (one, other) => Math.abs(other - time) < Math.abs(one - time) ? other : one;
        const flash = flashes.reduce(nearer, Infinity);
        return Math.round((time - flash) * 1000);
    }).filter(offset => Math.abs(offset) < 500);
    return { player, ended, median: median(offsets), offsets, time: video.currentTime, codec: video.codec?.(), log };
}

return Promise.all(Object.keys(attach).map(measure));
