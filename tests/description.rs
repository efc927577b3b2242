//! The OpenAPI documents are valid for third-party tools, and typed clients can be generated.

use anyhow::Result;
use tests::{Document, GeneratedClient, node_tool, project, python_tool, run_tool};

#[test]
fn openapi_spec_validator_accepts_the_documents() -> Result<()> {
    for document in Document::ALL {
        let Some(mut validator) = python_tool("openapi-spec-validator") else { return Ok(()) };
        run_tool(validator.arg(document.path()))?;
    }
    Ok(())
}

/// Redocly also compares the examples with their schemas.
#[test]
fn redocly_finds_no_fault_in_the_documents() -> Result<()> {
    let configuration = project().join("tests/description/redocly.yaml");
    let mut redocly = node_tool("redocly");
    redocly
        .args(["lint", "--max-problems=1000", "--config"])
        .arg(configuration)
        .args(Document::ALL.map(Document::path));
    let printed = run_tool(redocly.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true"))?;
    let printed = String::from_utf8(printed.stderr)?;
    anyhow::ensure!(!printed.contains("warning"), "Redocly warns:\n{printed}");
    Ok(())
}

#[test]
fn spectral_finds_no_fault_in_the_documents() -> Result<()> {
    let ruleset = project().join("tests/description/spectral.yaml");
    let mut spectral = node_tool("spectral");
    spectral.args(["lint", "--fail-severity=warn", "--ruleset"]).arg(ruleset);
    run_tool(spectral.args(Document::ALL.map(Document::path)))?;
    Ok(())
}

/// The end-to-end suite runs the program.
#[test]
fn a_program_with_the_generated_types_compiles_in_strict_mode() -> Result<()> {
    GeneratedClient::TypeScript.generate()?;
    run_tool(node_tool("tsc").arg("--project").arg(project().join("tests/description")))?;
    Ok(())
}
