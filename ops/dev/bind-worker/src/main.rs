//! `bind-worker WASM OUT_DIR` writes the JavaScript module for a compiled Worker: `index.js`, `index_bg.wasm` and the
//! JavaScript snippets of its dependencies.
//!
//! wasm-bindgen's own command-line tool does the same, but it takes much longer to build because it contains a test
//! runner with a web server. Both programs must have exactly the version of the wasm-bindgen library in the Worker.

#![forbid(unsafe_code)]

use anyhow::{Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [wasm, out_dir] = arguments.as_slice() else {
        bail!("usage: bind-worker WASM OUT_DIR");
    };
    let mut bindgen = Bindgen::new();
    bindgen.module(true)?.typescript(false).out_name("index").input_path(wasm);
    // Function names are an eighth of the file. A panic reports its source location without them.
    bindgen.remove_name_section(true).generate(out_dir)
}
