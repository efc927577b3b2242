import { PageHead } from "../shell.jsx";

export default function Uploads() {
  return <PageHead title="Uploads" />;
}
