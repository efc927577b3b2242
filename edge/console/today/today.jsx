import { PageHead } from "../shell.jsx";

export default function Today() {
  return <PageHead title="Today" />;
}
