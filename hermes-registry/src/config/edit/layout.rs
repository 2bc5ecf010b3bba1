//! Where everything stands in a text, byte by byte.
//!
//! The tree of a configuration says what a file means; the layout says where its parts begin and
//! end, and whether they are lines or stand in brackets.
//! Only texts that were read as a configuration are laid out, so nothing is checked here.

use std::sync::Arc;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Place {
    /// Where its content begins; a tag or an anchor stands before that.
    pub(super) start: usize,
    /// Where it ends; for a block of lines with the last of them.
    pub(super) end: usize,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Alias,
    Group(Group),
    Scalar {
        text: Arc<str>,
        is_null: bool,
        /// Whether it consists of lines of its own, as after `|`.
        is_block: bool,
    },
}

/// A list or a mapping.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) is_flow: bool,
    pub(super) is_list: bool,
    pub(super) children: Vec<Child>,
}

/// An entry of a mapping, or an item of a list.
#[derive(Debug)]
pub(super) struct Child {
    /// The key, unless this is an item or the key is no text.
    pub(super) key: Option<Arc<str>>,
    /// Where the key or the item begins, the dash of an item included.
    pub(super) start: usize,
    pub(super) key_end: usize,
    pub(super) value: Place,
}

impl Place {
    pub(super) fn group(&self) -> Option<&Group> {
        match &self.content {
            Content::Group(group) => Some(group),
            _ => None,
        }
    }
}

impl Group {
    /// The entries of this key; there may be several.
    pub(super) fn find<'g>(&'g self, key: &str) -> impl Iterator<Item = &'g Child> {
        let children = self.children.iter();
        children.filter(move |child| child.key.as_deref() == Some(key))
    }
}

/// The layout of the only document in a text, or `None` if there is nothing in it.
pub(super) fn parse(text: &str) -> Option<Place> {
    let mut builder = Builder {
        text,
        open: Vec::new(),
        root: None,
    };
    for item in Parser::new_from_str(text) {
        let (event, span) = item.ok()?;
        builder.handle_event(event, span);
    }
    builder.root
}

/// A group whose end has not come yet.
struct Frame {
    start: usize,
    group: Group,
    /// A key that waits for its value: its text, its start and its end.
    key: Option<(Option<Arc<str>>, usize, usize)>,
}

struct Builder<'t> {
    text: &'t str,
    /// Bound: as deep as the tree, which was read before.
    open: Vec<Frame>,
    root: Option<Place>,
}

impl Builder<'_> {
    fn handle_event(&mut self, event: Event<'_>, span: Span) {
        let (start, end) = (
            offset(span.start.byte_offset()),
            offset(span.end.byte_offset()),
        );
        match event {
            Event::Scalar(text, style, _, tag) => {
                let place = self.scalar(&text, style, tag.is_some(), start, end);
                self.add(place);
            }
            Event::Alias(_) => self.add(Place {
                start,
                end,
                content: Content::Alias,
            }),
            Event::SequenceStart(style, ..) => self.open(start, style, true),
            Event::MappingStart(style, ..) => self.open(start, style, false),
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(Frame { start, group, .. }) = self.open.pop() {
                    // The end of a block is noticed at what comes after it, so its last line
                    // is that of its last child.
                    let last = group.children.last().filter(|_| !group.is_flow);
                    let end = last.map_or(end, |last| last.value.end);
                    let content = Content::Group(group);
                    self.add(Place {
                        start,
                        end,
                        content,
                    });
                }
            }
            _ => {}
        }
    }

    fn scalar(
        &self,
        text: &str,
        style: ScalarStyle,
        is_tagged: bool,
        mut start: usize,
        mut end: usize,
    ) -> Place {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let source = self.text.get(start..end).unwrap_or_default();
        let is_plain = style == ScalarStyle::Plain && !is_tagged;
        let is_null = is_plain && matches!(source, "" | "~" | "null" | "Null" | "NULL");
        if source.is_empty() && is_null {
            // What is missing stands behind the colon, wherever the parser saw that it is.
            let rest = self.text.get(end..).unwrap_or_default();
            let after = rest.trim_start_matches(' ');
            if after.starts_with(':') {
                end += rest.len() - after.len() + 1;
                start = end;
            }
        } else if is_block {
            // The end is noticed behind the spaces of the next line, and empty lines belong to the
            // text only where it keeps them.
            let is_kept = text.ends_with("\n\n");
            let source = if is_kept {
                source.trim_end_matches(' ')
            } else {
                source.trim_end()
            };
            end = start + source.len();
        }
        Place {
            start,
            end,
            content: Content::Scalar {
                text: Arc::from(text),
                is_null,
                is_block,
            },
        }
    }

    fn open(&mut self, start: usize, style: StructureStyle, is_list: bool) {
        self.open.push(Frame {
            start,
            group: Group {
                is_flow: style == StructureStyle::Flow,
                is_list,
                children: Vec::new(),
            },
            key: None,
        });
    }

    /// Puts a finished value into the group that is open, or at the top.
    fn add(&mut self, place: Place) {
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(place);
            return;
        };
        if frame.group.is_list {
            let start = if frame.group.is_flow {
                place.start
            } else {
                dash(self.text, place.start)
            };
            frame.group.children.push(Child {
                key: None,
                start,
                key_end: start,
                value: place,
            });
            return;
        }
        match frame.key.take() {
            Some((key, start, key_end)) => frame.group.children.push(Child {
                key,
                start,
                key_end,
                value: place,
            }),
            None => {
                let text = match place.content {
                    Content::Scalar { text, .. } => Some(text),
                    _ => None,
                };
                frame.key = Some((text, place.start, place.end));
            }
        }
    }
}

/// The dash before an item; where something else stands between, the item itself.
fn dash(text: &str, item: usize) -> usize {
    let before = text.get(..item).unwrap_or_default();
    let before = before.trim_end_matches(' ');
    match before.strip_suffix('-') {
        Some(before) => before.len(),
        None => item,
    }
}

/// Markers of a text that is in memory have an offset always.
fn offset(of_marker: Option<usize>) -> usize {
    of_marker.unwrap_or_default()
}
