//! `hermes mcp schema`: the JSON Schema of the configuration, for editors.

use std::path::Path;

use hermes_registry::Config;
use mcp_types::RawJson;

use crate::failure::Failure;
use crate::output::{Report, json};

pub(crate) fn run(output: Option<&Path>, is_json: bool) -> Result<Report, Failure> {
    let schema = Config::json_schema();
    if let Some(file) = output {
        std::fs::write(file, &schema).map_err(|error| {
            let message = format!("{}: cannot be written: {error}", file.display());
            Failure::usage("unwritable", message, "give another file with `--output`")
        })?;
    }
    if !is_json {
        let text = if output.is_some() {
            String::new()
        } else {
            schema
        };
        return Ok(Report::new(text));
    }
    let schema = RawJson::parse(schema).expect("the schema is JSON");
    let shape = json::Schema {
        file: output,
        schema: output.is_none().then_some(&schema),
    };
    Ok(Report::new(json::object(&shape, &[])))
}
