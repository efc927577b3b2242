//! The attributes that register an end-to-end test. A test is one function, and has its name.
#![forbid(unsafe_code)]

use proc_macro::{TokenStream, TokenTree};

/// Registers an `async fn(Arc<TestStack>) -> Result<()>` as a test.
///
/// The argument is a variant of `tests::StackKind` and says which stack the test runs on. Without an argument it is
/// `Shared`.
#[proc_macro_attribute]
pub fn e2e(argument: TokenStream, function: TokenStream) -> TokenStream {
    let kind = argument.to_string();
    let kind = if kind.is_empty() { "Shared" } else { &kind };
    register("StackTest", &format!("stack: ::tests::StackKind::{kind},"), function)
}

/// Registers an `async fn(Arc<BrowserStack>) -> Result<()>` as a test.
#[proc_macro_attribute]
pub fn browser(_argument: TokenStream, function: TokenStream) -> TokenStream {
    register("BrowserTest", "", function)
}

/// Returns the function and its registration.
fn register(kind: &str, more_fields: &str, function: TokenStream) -> TokenStream {
    let Some(name) = name_of(function.clone()) else {
        return parse("::core::compile_error!(\"Only a function can be a test.\");");
    };
    let mut output =
        parse("#[allow(clippy::unused_async, reason = \"every test is async, also one that never waits\")]");
    output.extend(function);
    output.extend(parse(&format!(
        "::tests::inventory::submit! {{ ::tests::{kind} {{
            name: ::core::stringify!({name}),
            module: ::core::module_path!(),
            run: |stack| ::std::boxed::Box::pin({name}(stack)),
            {more_fields}
        }} }}"
    )));
    output
}

/// Parses code that this file contains. It is valid, so there is no error to report.
fn parse(code: &str) -> TokenStream {
    code.parse().unwrap_or_default()
}

/// Returns the name after the keyword `fn`.
fn name_of(function: TokenStream) -> Option<String> {
    let is_fn = |token: &TokenTree| matches!(token, TokenTree::Ident(keyword) if keyword.to_string() == "fn");
    let name = function.into_iter().skip_while(|token| !is_fn(token)).nth(1)?;
    Some(name.to_string())
}
