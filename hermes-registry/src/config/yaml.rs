//! From text to tree: the YAML parser's events, bounded.
//!
//! The parser reports events with positions and resolves no types; this module nests them, writes
//! out aliases and merge keys (`<<`), and stops at the limits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use granit_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

use super::failure::ConfigErrorKind;
use super::problem::Position;
use super::tree::{Entry, Key, Node, Scalar, Value};

/// Deepest nesting of lists and mappings, aliases written out.
///
/// Bound: the stack, for whoever walks the tree. An honest configuration needs eight.
const DEPTH_MAX: usize = 128;

/// Most bytes of a tree: each text, and [`NODE_COST`] for each value, aliases written out.
///
/// Bound: memory, against aliases of aliases of aliases.
const COST_MAX: usize = 16 << 20;

/// What a value costs beside its text.
const NODE_COST: usize = 64;

/// An error and where it is.
pub(super) type Failure = (ConfigErrorKind, Position);

/// The tree of the only document in `text`, or `None` if there is nothing in it.
pub(super) fn parse(text: &str) -> Result<Option<Node>, Failure> {
    let mut builder = Builder::default();
    for item in Parser::new_from_str(text) {
        let (event, span) = item.map_err(|error| not_yaml(text, &error))?;
        // A tagged or anchored value begins at its content; the mark of an empty one is where it
        // would stand.
        builder.handle_event(event, place(&span.start))?;
    }
    Ok(builder.root)
}

/// Counts from one, as editors do.
fn place(marker: &Marker) -> Position {
    Position::new(marker.line().max(1), marker.col().saturating_add(1))
}

fn not_yaml(text: &str, error: &ScanError) -> Failure {
    let position = place(error.marker());
    let line = text
        .lines()
        .nth(position.line.saturating_sub(1))
        .unwrap_or_default();
    // In `[${HOME}]` the brace opens a mapping, which no author expects.
    let reference = line.contains("${") && line.replace("${", "").contains(['[', '{']);
    (
        ConfigErrorKind::NotYaml {
            detail: error.info(),
            reference,
        },
        position,
    )
}

/// A finished value with what it takes to repeat it.
#[derive(Clone)]
struct Built {
    node: Node,
    height: usize,
    cost: usize,
}

/// A list or mapping whose end has not come yet.
struct Frame {
    position: Position,
    tag: Option<Arc<str>>,
    anchor: usize,
    content: Content,
    height: usize,
    cost: usize,
}

enum Content {
    List(Vec<Node>),
    Mapping {
        entries: Vec<Entry>,
        key: Option<Key>,
    },
}

#[derive(Default)]
struct Builder {
    /// Bound: never higher than [`DEPTH_MAX`].
    open: Vec<Frame>,
    anchors: BTreeMap<usize, Built>,
    root: Option<Node>,
    /// Bound: never above [`COST_MAX`].
    cost: usize,
    documents: usize,
}

impl Builder {
    fn handle_event(&mut self, event: Event<'_>, position: Position) -> Result<(), Failure> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err((ConfigErrorKind::ManyDocuments, position));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.spend(NODE_COST + text.len(), position)?;
                let (tag, text_tag) = foreign(tag.as_deref());
                let quoted = style != ScalarStyle::Plain || text_tag;
                let cost = NODE_COST + text.len();
                let scalar = Scalar {
                    text: Arc::from(text.as_ref()),
                    quoted,
                };
                let node = Node {
                    position,
                    tag,
                    value: Value::Scalar(scalar),
                };
                self.add(
                    Built {
                        node,
                        height: 0,
                        cost,
                    },
                    anchor,
                )?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.open(position, anchor, tag.as_deref(), Content::List(Vec::new()))?;
            }
            Event::MappingStart(_, anchor, tag) => {
                let content = Content::Mapping {
                    entries: Vec::new(),
                    key: None,
                };
                self.open(position, anchor, tag.as_deref(), content)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close()?,
            Event::Alias(id) => {
                let Some(built) = self.anchors.get(&id) else {
                    return Err((ConfigErrorKind::AliasOfItself, position));
                };
                let (cost, height) = (built.cost, built.height);
                self.spend(cost, position)?;
                self.check_depth(self.open.len().saturating_add(height), position)?;
                // Cloned only after its cost was found affordable.
                if let Some(built) = self.anchors.get(&id).cloned() {
                    self.add(built, 0)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn open(
        &mut self,
        position: Position,
        anchor: usize,
        tag: Option<&Tag>,
        content: Content,
    ) -> Result<(), Failure> {
        self.spend(NODE_COST, position)?;
        self.check_depth(self.open.len().saturating_add(1), position)?;
        let (tag, _) = foreign(tag);
        self.open.push(Frame {
            position,
            tag,
            anchor,
            content,
            height: 0,
            cost: NODE_COST,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Failure> {
        let Some(frame) = self.open.pop() else {
            return Ok(());
        };
        let value = match frame.content {
            Content::List(items) => Value::List(items),
            Content::Mapping { entries, .. } => Value::Mapping(merged(entries)),
        };
        let node = Node {
            position: frame.position,
            tag: frame.tag,
            value,
        };
        let built = Built {
            node,
            height: frame.height.saturating_add(1),
            cost: frame.cost,
        };
        self.add(built, frame.anchor)
    }

    /// Puts a finished value into the list or mapping that is open, or at the top.
    fn add(&mut self, built: Built, anchor: usize) -> Result<(), Failure> {
        if anchor != 0 {
            // Bound: the copy counts, as anchors inside anchors copy the innermost many times.
            self.spend(built.cost, built.node.position)?;
            self.anchors.insert(anchor, built.clone());
        }
        let Built { node, height, cost } = built;
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        frame.height = frame.height.max(height);
        frame.cost = frame.cost.saturating_add(cost);
        match &mut frame.content {
            Content::List(items) => items.push(node),
            Content::Mapping { entries, key } => match key.take() {
                Some(key) => entries.push(Entry { key, value: node }),
                None => *key = Some(as_key(&node)),
            },
        }
        Ok(())
    }

    fn spend(&mut self, cost: usize, position: Position) -> Result<(), Failure> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > COST_MAX {
            return Err((ConfigErrorKind::TooMany, position));
        }
        Ok(())
    }

    fn check_depth(&self, depth: usize, position: Position) -> Result<(), Failure> {
        if depth > DEPTH_MAX {
            return Err((
                ConfigErrorKind::TooDeep {
                    depth_max: DEPTH_MAX,
                },
                position,
            ));
        }
        Ok(())
    }
}

/// The tag if it is not one of YAML's own, and whether it is the one that makes a text.
fn foreign(tag: Option<&Tag>) -> (Option<Arc<str>>, bool) {
    match tag {
        None => (None, false),
        Some(tag) if tag.is_yaml_core_schema() => (None, tag.core_suffix() == Some("str")),
        // The lone `!` says that a scalar is a text.
        Some(tag) if tag.original() == "!" => (None, true),
        Some(tag) => (Some(Arc::from(tag.original())), false),
    }
}

fn as_key(node: &Node) -> Key {
    let scalar = match &node.value {
        Value::Scalar(scalar) if node.tag.is_none() => Some(scalar),
        _ => None,
    };
    Key {
        text: scalar.map(|scalar| Arc::clone(&scalar.text)),
        position: node.position,
        quoted: scalar.is_some_and(|scalar| scalar.quoted),
    }
}

/// Writes out the merge keys of a mapping.
///
/// Keys of the mapping itself win over merged ones, and earlier merged ones over later ones.
/// A `<<` whose value cannot be merged stays as it is, to be reported as an unknown key.
fn merged(entries: Vec<Entry>) -> Vec<Entry> {
    let is_merge = |entry: &Entry| {
        !entry.key.quoted && entry.key.text.as_deref() == Some("<<") && can_merge(&entry.value)
    };
    if !entries.iter().any(is_merge) {
        return entries;
    }
    let (merges, mut entries): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_merge);
    let mut known: BTreeSet<Arc<str>> = entries
        .iter()
        .filter_map(|entry| entry.key.text.clone())
        .collect();
    let sources = merges
        .into_iter()
        .flat_map(|merge| match merge.value.value {
            Value::List(items) => items,
            _ => vec![merge.value],
        });
    for source in sources {
        let Value::Mapping(additions) = source.value else {
            continue;
        };
        for addition in additions {
            let is_new = addition
                .key
                .text
                .clone()
                .is_none_or(|text| known.insert(text));
            if is_new {
                entries.push(addition);
            }
        }
    }
    entries
}

fn can_merge(node: &Node) -> bool {
    let is_mapping = |node: &Node| matches!(node.value, Value::Mapping(_));
    match &node.value {
        Value::List(items) => items.iter().all(is_mapping),
        _ => is_mapping(node),
    }
}
