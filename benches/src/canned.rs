//! What the servers answer, encoded once, however it is framed.

/// What stands before and after each message.
pub struct Framing {
    pub before: &'static [u8],
    pub after: &'static [u8],
}

/// Tool results, encoded once.
pub struct Results {
    small: Vec<u8>,
    medium: Vec<u8>,
    large: Vec<u8>,
    tools: Vec<u8>,
}

impl Results {
    /// Results, and a list of so many tools.
    pub fn new(tools_listed: usize) -> Self {
        Self {
            small: result(100),
            medium: result(10_000),
            large: result(1_000_000),
            tools: tools(tools_listed),
        }
    }
}

/// A result of one text block of about `len` bytes: lines of code with the escapes that code has.
fn result(len: usize) -> Vec<u8> {
    let line = r#"    let greeting = format!(\"{name} of {count}\"); // line\n"#;
    let text: String = line
        .chars()
        .cycle()
        .take(len / line.len() * line.len())
        .collect();
    let text = if text.is_empty() {
        line.to_owned()
    } else {
        text
    };
    let head = r#","result":{"content":[{"type":"text","text":""#;
    format!(r#"{head}{text}"}}],"isError":false}}}}"#).into_bytes()
}

/// A list of tools as servers of programming interfaces have them, of 766 bytes each on average.
fn tools(count: usize) -> Vec<u8> {
    let tool = |number: usize| {
        let service = ["tracker", "mail", "wiki", "files", "calendar"][number % 5];
        format!(
            r#"{{"name":"{service}_search_{number:04}","title":"Search entries","description":"Searches the entries of {service} and returns those that match, the most recent first. Use it when the user asks for \"entries\" by words, by state or by label.\nIt changes nothing and is safe to try again.","inputSchema":{{"type":"object","properties":{{"query":{{"type":"string","description":"Words that must all occur"}},"state":{{"type":"string","enum":["open","closed","all"],"default":"open"}},"labels":{{"type":"array","items":{{"type":"string"}},"description":"Labels that must all be present"}},"limit":{{"type":"integer","description":"How many entries to return at most","minimum":1,"maximum":100,"default":30}}}},"required":["query"],"additionalProperties":false}},"annotations":{{"readOnlyHint":true}}}}"#
        )
    };
    let tools: Vec<String> = (0..count).map(tool).collect();
    format!(r#","result":{{"tools":[{}]}}}}"#, tools.join(",")).into_bytes()
}

/// Appends the answer to a request, and nothing for a notification; says whether it was a request.
pub fn answer(message: &[u8], results: &Results, framing: &Framing, out: &mut Vec<u8>) -> bool {
    let Some(id) = id(message) else { return false };
    let has = |needle: &[u8]| memchr::memmem::find(message, needle).is_some();
    let mut reply = |rest: &[u8]| {
        out.extend_from_slice(framing.before);
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id);
        out.extend_from_slice(rest);
        out.extend_from_slice(framing.after);
    };
    if has(br#""t100""#) {
        reply(&results.small);
    } else if has(br#""t10k""#) {
        reply(&results.medium);
    } else if has(br#""t1m""#) {
        reply(&results.large);
    } else if has(br#""hold""#) {
        // Never answered, so that the connection is not idle.
    } else if has(br#""progress""#) {
        progress(message, id, &results.small, framing, out);
    } else if has(br#""initialize""#) {
        reply(
            br#","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bench","version":"1"}}}"#,
        );
    } else if has(br#""tools/list""#) {
        reply(&results.tools);
    } else {
        reply(br#","error":{"code":-32601,"message":"no such method"}}"#);
    }
    true
}

/// 100,000 progress notices, then the result.
fn progress(message: &[u8], id: &[u8], result: &[u8], framing: &Framing, out: &mut Vec<u8>) {
    let token = memchr::memmem::find(message, br#""progressToken":"#)
        .map(|at| number(&message[at + 16..]))
        .unwrap_or(id);
    for step in 1..=100_000 {
        out.extend_from_slice(framing.before);
        out.extend_from_slice(
            br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"#,
        );
        out.extend_from_slice(token);
        out.extend_from_slice(format!(r#","progress":{step},"total":100000}}}}"#).as_bytes());
        out.extend_from_slice(framing.after);
    }
    out.extend_from_slice(framing.before);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id);
    out.extend_from_slice(result);
    out.extend_from_slice(framing.after);
}

fn id(message: &[u8]) -> Option<&[u8]> {
    memchr::memmem::find(message, br#""id":"#).map(|at| number(&message[at + 5..]))
}

fn number(text: &[u8]) -> &[u8] {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    &text[..digits]
}
