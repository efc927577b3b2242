// The entry module of the Worker: passes Cloudflare's events to the wasm module. `ops/dev/build-worker` bundles it
// with the `index.js` that wasm-bindgen generates.

import { fetch, scheduled } from "./index.js";

// A Rust panic is logged with its JavaScript stack. The default of ten frames ends inside the panic machinery.
Error.stackTraceLimit = 100;

export default { fetch, scheduled };
