import { PageHead } from "../shell.jsx";

export default function Key() {
  return <PageHead title="API key" />;
}
