// One-time tokens, with which users of the owner's app upload.
import { query } from "../../pages/kit/router.js";
import { Create } from "./create.jsx";
import { List } from "./list.jsx";
import { NewToken } from "./token.jsx";

export default function DirectUploads() {
  return <>{query.value.get("view") === "create" ? <Create /> : <List />}<NewToken /></>;
}
