import { PageHead } from "../shell.jsx";

/** @param {{ uuid: string }} props */
export default function Video({ uuid }) {
  return <PageHead title="Video">{uuid}</PageHead>;
}
