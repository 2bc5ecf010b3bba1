//! The name that was probably meant.
//!
//! Errors about an unknown key, tool or server say what the nearest known name is.
//! The distance counts insertions, deletions, replacements and swaps of two neighbours, without
//! regard to case.

/// Names longer than this are not compared.
///
/// Bound: the comparison takes time proportional to the product of both lengths.
const NAME_LEN_MAX: usize = 128;

/// A text is looked for inside another only from this length on; shorter ones are everywhere.
const CONTAINED_LEN_MIN: usize = 3;

/// The candidate that is nearest to `wanted`, if one is near enough to be a slip of the hand.
///
/// Near enough is one slip for each three characters of `wanted`, at least one and at most three.
/// Of several equally near candidates the alphabetically first is taken.
#[must_use]
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(wanted)?;
    candidates
        .into_iter()
        .filter_map(|candidate| Some((slips(&wanted, candidate)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// At most `count` candidates that `wanted` may have meant, the most likely first.
///
/// Beside slips of the hand this finds candidates that contain `wanted` or are contained in it,
/// so that a tool's bare name leads to its full one.
#[must_use]
pub fn nearest_few<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let Some(wanted) = folded(wanted) else {
        return Vec::new();
    };
    let wanted_text: String = wanted.iter().collect();
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            if let Some(slips) = slips(&wanted, candidate) {
                return Some((slips, candidate));
            }
            contained(&wanted_text, candidate).then_some((usize::MAX, candidate))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    // Beside a name that is one slip away, those that are three away are noise.
    if let Some((best, _)) = found.first().copied() {
        found.retain(|(slips, _)| *slips == usize::MAX || *slips <= best.saturating_add(1));
    }
    found.truncate(count);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The characters of `text` in lower case, or `None` for a text too long to compare.
fn folded(text: &str) -> Option<Vec<char>> {
    (text.len() <= NAME_LEN_MAX).then(|| text.to_lowercase().chars().collect())
}

fn contained(wanted: &str, candidate: &str) -> bool {
    let candidate = candidate.to_lowercase();
    (wanted.len() >= CONTAINED_LEN_MIN && candidate.contains(wanted))
        || (candidate.len() >= CONTAINED_LEN_MIN && wanted.contains(&candidate))
}

/// How many slips lie between both, or `None` when they are too many.
fn slips(wanted: &[char], candidate: &str) -> Option<usize> {
    let candidate = folded(candidate)?;
    let limit = (wanted.len() / 3).clamp(1, 3);
    if wanted.len().abs_diff(candidate.len()) > limit {
        return None;
    }
    let distance = distance(wanted, &candidate);
    (distance <= limit).then_some(distance)
}

/// The optimal string alignment distance.
fn distance(left: &[char], right: &[char]) -> usize {
    // Invariant: `above` is the finished row of the table over `right`, `before` the one above it.
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=right.len()).collect();
    let mut left_previous = None;
    for (row, left_char) in left.iter().enumerate() {
        let mut current = Vec::with_capacity(above.len());
        let mut beside = row + 1;
        current.push(beside);
        let mut right_previous = None;
        for (column, (right_char, corner)) in right.iter().zip(above.windows(2)).enumerate() {
            let &[diagonal, up] = corner else { continue };
            let replaced = diagonal + usize::from(left_char != right_char);
            let mut cost = replaced.min(up + 1).min(beside + 1);
            let swapped = right_previous == Some(left_char) && left_previous == Some(right_char);
            let corner_before = column.checked_sub(1).and_then(|at| before.get(at));
            if let (true, Some(corner_before)) = (swapped, corner_before) {
                cost = cost.min(corner_before + 1);
            }
            current.push(cost);
            beside = cost;
            right_previous = Some(right_char);
        }
        left_previous = Some(left_char);
        before = std::mem::replace(&mut above, current);
    }
    above.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_hand_finds_the_key() {
        let keys = [
            "timeout",
            "connect_timeout",
            "tools",
            "command",
            "args",
            "env",
        ];
        for (wanted, expected) in [
            ("timeuot", Some("timeout")),
            ("Timeout", Some("timeout")),
            ("comand", Some("command")),
            ("connecttimeout", Some("connect_timeout")),
            ("arg", Some("args")),
            ("tool", Some("tools")),
            ("evn", Some("env")),
            ("url", None),
            ("something_else", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, keys), expected, "{wanted}");
        }
    }

    #[test]
    fn the_distance_counts_a_swap_as_one() {
        for (left, right, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("ab", "ba", 1),
            ("kitten", "sitting", 3),
            ("a", "a", 0),
        ] {
            let left: Vec<char> = left.chars().collect();
            let right: Vec<char> = right.chars().collect();
            assert_eq!(distance(&left, &right), expected, "{left:?} {right:?}");
        }
    }

    #[test]
    fn a_bare_tool_name_leads_to_its_full_names() {
        let names = [
            "mcp_fs_read_file",
            "mcp_git_status",
            "mcp_web_read_file",
            "read_fil",
        ];
        let found = nearest_few("read_file", names, 3);
        assert_eq!(found, ["read_fil", "mcp_fs_read_file", "mcp_web_read_file"]);
        assert_eq!(nearest_few(&"x".repeat(1000), names, 3), Vec::<&str>::new());
    }
}
