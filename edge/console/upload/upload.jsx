import { PageHead } from "../shell.jsx";

export default function Upload() {
  return <PageHead title="Upload a video" />;
}
