//! The wasm-bindgen command, unchanged, with dependencies that are locked here.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(std::env::args_os())
}
