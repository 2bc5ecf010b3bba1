//! The folders that a server is told to work in, as `file` URIs.

use std::path::Path;

use url::Url;

use super::read::{KeyPath, Reader};
use super::tree::Node;

/// Reads `roots`: folders, each by its path or by its URI.
///
/// A path may begin with `~`, and a relative one begins at the folder of work.
pub(super) fn read(reader: &mut Reader<'_>, node: &Node, path: &KeyPath) -> Option<Vec<String>> {
    let mut uris = Vec::new();
    for (item, path) in reader.items(node, path, "a list of folders or file:// URIs")? {
        let allowed = "a folder or a file:// URI";
        let Some(text) = reader.process_text(item, &path, allowed) else {
            continue;
        };
        reader.warn_of_space(item, &path, &text.text);
        let text = reader.with_home(text.text);
        match uri(&text, reader.expander.context().workspace_folder()) {
            Ok(uri) => uris.push(uri),
            Err(allowed) => reader.wrong(item, &path, allowed),
        }
    }
    Some(uris)
}

/// The URI of a folder, or what is allowed in place of `text`.
fn uri(text: &str, workspace: Option<&str>) -> Result<String, &'static str> {
    // Spec: ROOT-03. Other schemes are for revisions to come.
    let not_a_file = "a folder or a file:// URI without a host";
    if text.contains("://") {
        let url = Url::parse(text).map_err(|_error| not_a_file)?;
        let is_ours = url.scheme() == "file" && matches!(url.host_str(), None | Some("localhost"));
        return is_ours.then(|| String::from(url)).ok_or(not_a_file);
    }
    if text.is_empty() {
        return Err(not_a_file);
    }
    let folder = match workspace {
        Some(workspace) => Path::new(workspace).join(text),
        None => Path::new(text).to_owned(),
    };
    let unknown = "an absolute path, as it is not known in which folder we work";
    let url = Url::from_file_path(folder).map_err(|()| unknown)?;
    // Parsing takes `.` and `..` out of the path.
    let parsed = Url::parse(url.as_str()).map_err(|_error| not_a_file)?;
    Ok(String::from(parsed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_become_uris_and_uris_stay() {
        let unknown = "an absolute path, as it is not known in which folder we work";
        let not_a_file = "a folder or a file:// URI without a host";
        for (text, workspace, expected) in [
            ("/srv/app", None, Ok("file:///srv/app")),
            (
                "/srv/my app/é#1",
                None,
                Ok("file:///srv/my%20app/%C3%A9%231"),
            ),
            ("/srv/app/../lib/.", None, Ok("file:///srv/lib")),
            (".", Some("/srv/app"), Ok("file:///srv/app")),
            ("lib/x", Some("/srv/app"), Ok("file:///srv/app/lib/x")),
            ("/tmp", Some("/srv/app"), Ok("file:///tmp")),
            ("file:///srv/app", None, Ok("file:///srv/app")),
            ("file://localhost/srv", None, Ok("file:///srv")),
            ("lib", None, Err(unknown)),
            ("", Some("/srv/app"), Err(not_a_file)),
            ("https://example.com/", None, Err(not_a_file)),
            ("file://elsewhere/srv", None, Err(not_a_file)),
        ] {
            let expected = expected.map(str::to_owned);
            assert_eq!(uri(text, workspace), expected, "{text}");
        }
    }
}
