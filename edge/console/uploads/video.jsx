/** @param {{ uuid: string, back: string, isBeside: boolean }} props */
export default function VideoView({ uuid, back, isBeside }) {
  return <section><h1>{uuid}</h1><a href={back}>Uploads</a></section>;
}
