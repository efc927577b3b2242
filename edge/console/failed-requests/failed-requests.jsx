// The requests of your programs that failed.
import { PageHead } from "../shell.jsx";

export default function FailedRequests() {
  return <PageHead title="Failed requests">The requests of your programs that failed.</PageHead>;
}
