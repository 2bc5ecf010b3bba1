//! What `--help` says behind the options.

pub(super) const EXAMPLES: &str = "\
Examples:
  hermes mcp list                          the configured servers, without starting them
  hermes mcp tools                         the tools of all servers
  hermes mcp tools files --json            those of one server, with their schemas
  hermes mcp call mcp_files_read '{\"path\":\"notes.txt\"}'
  echo '{\"a\":2,\"b\":3}' | hermes mcp call demo/add --demo
  hermes mcp status                        how the servers are
  hermes mcp watch                         keep them running and tell what happens
  hermes mcp doctor read_file              why a tool is not there, and what to do about it
  hermes mcp read demo://greeting --demo   a resource; `resources` lists them, as does `prompts`
  hermes mcp test files                    whether a server works, and if not, why
  hermes mcp add files --command npx -- -y @modelcontextprotocol/server-filesystem ~/notes
  hermes completion bash > ~/.local/share/bash-completion/completions/hermes

Exit status:
  0 done; 1 the tool, or the server, answered with an error; 2 wrong command line or configuration;
  3 a server could not be reached; 4 a deadline passed; 5 no `hermes mcp watch` is running;
  130 interrupted. If several of these happened, the first of 2, 3, 4, 5, 1 that did.";

pub(super) const COMPLETIONS: &str = "\
Examples:
  hermes completion bash > ~/.local/share/bash-completion/completions/hermes
  hermes completion zsh > ~/.zfunc/_hermes
  hermes mcp completions fish > ~/.config/fish/completions/hermes.fish

The script goes to standard output as it is, with --json too.";

pub(super) const SHAPES: &str = "\
Without a configuration file, or with --demo, a demo server inside this program is used.
Text for people goes to standard output when that is a terminal; on a pipe, `list` and `tools`
print one line each, with tabs between the fields.

JSON (--json): one object on standard output. Members stand in this order and are always there;
new ones may be added at the end.
  list    {version, servers: [{name, enabled, command, args, cwd, env, timeout, connectTimeout,
          protocol, include, exclude, file, line, url}], problems}
  tools   {version, servers: [{name, state, era, protocolVersion, serverInfo, notes, error}],
          tools: [{name, server, tool, title, description, inputSchema}], problems}
  call    {version, server, tool, name, isError, result, diagnostics, problems}
  resources
          {version, servers, resources: [{server, uri, name, title, description, mimeType, size}],
          templates: [{server, uriTemplate, name, title, description, mimeType}], problems}
  read    {version, server, uri, result, file, diagnostics, problems}
  prompts {version, servers, prompts: [{server, name, title, description, arguments: [{name,
          title, description, required}]}], problems}
  prompt  {version, server, name, result, diagnostics, problems}
  test    {version, server, state, connectMs, era, protocolVersion, serverInfo, instructions,
          ledger, toolsListed, tools, notes, problems}
  status  {version, watch: {pid, seconds} or null, servers: [{name, state, stateSeconds, why, era,
          protocolVersion, transport, serverInfo, toolsOffered, toolsListed, toolsMade, leftOut:
          [{tool, reason, detail}], leftOutCount, error, fault, nextAttemptSeconds, retriesUsed,
          retriesMax, breaker: {state, strikes, retrySeconds}, restarts, inFlight, queued, usage:
          {calls, answered, toolErrors, failed, refused, abandoned, errorRate, p50Seconds,
          p90Seconds, p99Seconds, maxSeconds, sentBytes, receivedBytes}, notes, ledger:
          [{agoSeconds, state, why}]}], problems}; `state` is idle, connecting, ready, suspect,
          draining, waiting, recycled, parked, disabled, closing or closed; `breaker.state` is
          closed, half_open or open; `reason` is filter, not_approved or unreadable; `toolsMade` are
          those that are made of its resources and prompts
  doctor  {version, findings: [{severity, topic, server, tool, message, wayOut, details}],
          problems}; `severity` is ok, note, warning or error, `topic` is configuration, enabled, command,
          connection, tools, dropped, filter, trust, name, suspicion or offer
  reload  {version, started, restarted, stopped, unchanged, problems}; each a list of names
  watch   a line for each event: {version, atSeconds, event, ...}; after `event`
          watching {pid, file, socket}; state {server, state, why}; tools {added, removed, changed};
          list {server, list}; log {server, level, logger, text}; missed {count};
          reload {started, restarted, stopped, unchanged, problems}, with new problems only;
          reload_failed {error}; resource {server, uri}, where `uri` may be null;
          unwatched {uri, error}
  catalog {version, servers: [{name, title, description, homepage, transport, needs: [{name, about,
          from}], include, exclude}], problems}
  add, install
          {version, server, file, action, check, error, hints, problems}; `action` is added or
          replaced, `check` is null or what `test` prints without `version` and `problems`
  approve {version, server, approved, added, changed: [{tool, fields, diff}], removed, problems};
          lists of names of tools
  remove  {version, servers, file, problems}
  enable, disable
          {version, server, file, enabled, changed, problems}
  configure
          {version, server, file, include, exclude, changed, problems}; `include` may be null
  import  {version, file, sources: [{file, format, servers: [{name, keys, action}], carried: [{server,
          key, line, to, note}], conflicts: [{server, line, kind, with}], notCarried: [{server, key,
          line, reason}]}], written, dryRun, hints, problems}; `action` is added, replaced, kept
          (as it is configured), same or elsewhere_too
  schema  {version, file, schema, problems}; `schema` is null if it was written to `file`
  errors  {version, error: {code, message, suggestion, server, retryable, outcomeUncertain,
          details, cause}, problems}
`version` is 1. `problems` are those of the configuration: {file, line, column, key, server,
severity, message}. `servers` are those of `tools`. `result` and `inputSchema` are as the server
sent them. `env` holds names only.";
