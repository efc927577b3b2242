// Your users upload straight to your channel, each with a token for one video.
import { PageHead } from "../shell.jsx";

export default function DirectUploads() {
  return <PageHead title="Direct uploads">Your users upload straight to your channel, each with a token for one video.</PageHead>;
}
