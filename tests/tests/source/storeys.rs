//! The storeys of the portal and the circles of its features, checked by reading what they name.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;

use tests::root;

use super::layers::{Source, none, sources};

/// The storeys of the portal, from the ground up. A feature names none of a storey above its own: what it must cause
/// there it announces (`portal/src/events.rs`, `listeners.rs`). A new feature needs a place here.
const STOREYS: &[(&str, &[&str])] = &[
    (
        "people",
        &[
            "access_tokens",
            "app_passwords",
            "audit",
            "broadcast",
            "directory",
            "groups",
            "health",
            "https",
            "logs",
            "notices",
            "peers",
            "session",
            "settings",
            "ssh_keys",
            "users",
        ],
    ),
    ("lab", &["allocations", "clock", "clusters", "datasets", "gpus", "images", "machine_helper", "servers"]),
    ("compute", &["disk_space", "doors", "instances", "reservations", "terminals", "usage", "watch"]),
    (
        "desk",
        &[
            "accounts",
            "alerts",
            "announcements",
            "backups",
            "dashboard",
            "departures",
            "duties",
            "find",
            "fleet",
            "inspection",
            "joins",
            "metrics",
            "page_headers",
            "retention",
            "support",
            "update",
            "worksheets",
        ],
    ),
];

/// The circles of features that name one another, each within a storey. None is added, and one that is cut leaves here.
const CIRCLES: &[&[&str]] = &[
    &[
        "access_tokens",
        "app_passwords",
        "broadcast",
        "directory",
        "groups",
        "notices",
        "session",
        "settings",
        "ssh_keys",
        "users",
    ],
    &["allocations", "clusters", "gpus", "machine_helper", "servers"],
    &["disk_space", "instances", "terminals"],
];

/// The modules that put the portal together, and know all features or the type that holds all of their state. No
/// feature names them.
const ROOF: &[&str] = &["duty_list", "features", "lib", "listeners", "openapi", "parts", "state", "wiring"];

/// A file of the portal: the feature that it belongs to, or the module beside the features.
struct Place {
    feature: Option<String>,
    module: String,
    /// How many modules lie between it and the feature's own.
    depth: usize,
    text: String,
    /// With its indentation and comments.
    raw: String,
    shown: String,
}

impl Place {
    fn of(source: &Source) -> Self {
        let path = source.path.strip_prefix(root().join("crates/portal/src")).expect("a file of the portal");
        let parts: Vec<String> =
            path.iter().map(|part| part.to_string_lossy().trim_end_matches(".rs").to_owned()).collect();
        let feature = (parts[0] == "features" && parts.len() > 1).then(|| parts[1].clone());
        let own = usize::from(parts.last().is_some_and(|last| last == "mod"));
        Self {
            depth: parts.len().saturating_sub(2 + own),
            module: parts[0].clone(),
            feature,
            // A chain of calls is one expression, wherever it is broken.
            text: source.lines.join("\n").replace("\n.", "."),
            raw: fs::read_to_string(&source.path).expect("text"),
            shown: path.display().to_string(),
        }
    }

    /// The features that it names.
    fn named(&self) -> Vec<&str> {
        let after = |(at, found): (usize, &str)| &self.text[at + found.len()..];
        self.text.match_indices("features::").map(after).flat_map(heads).collect()
    }

    /// The calls of methods of the portal, by name.
    fn calls(&self) -> Vec<&str> {
        RECEIVERS
            .iter()
            .flat_map(|receiver| self.text.match_indices(receiver).map(|(at, _)| &self.text[at + receiver.len()..]))
            .map(|rest| (ident(rest), rest))
            .filter(|(name, rest)| rest[name.len()..].starts_with('('))
            .map(|(name, _)| name)
            .collect()
    }

    /// The methods that it gives the portal for other features.
    fn methods(&self) -> Vec<&str> {
        let blocks = self.raw.split("\nimpl Portal {\n").skip(1);
        let lines = blocks.flat_map(|block| block.split("\n}").next().unwrap_or_default().lines().map(str::trim));
        let declared = lines.filter_map(|line| line.strip_prefix("pub(crate) ").or_else(|| line.strip_prefix("pub ")));
        let declared = declared.map(|line| line.strip_prefix("async ").unwrap_or(line));
        declared.filter_map(|line| line.strip_prefix("fn ")).map(ident).collect()
    }
}

const RECEIVERS: [&str; 4] = ["portal.", "self.", "self.0.", "Portal::"];

/// The identifier at the beginning.
fn ident(text: &str) -> &str {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The first names of a path that continues here, of each one if it is a group.
fn heads(path: &str) -> Vec<&str> {
    let Some(group) = path.strip_prefix('{') else { return vec![ident(path)] };
    let (mut depth, mut start, mut heads) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                heads.push(ident(group[start..at].trim_start()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                heads.push(ident(group[start..at].trim_start()));
                start = at + 1;
            }
            _ => {}
        }
    }
    heads.retain(|name| !name.is_empty());
    heads
}

fn storey(feature: &str) -> usize {
    let found = STOREYS.iter().position(|(_, features)| features.contains(&feature));
    found.unwrap_or_else(|| panic!("{feature} has no storey"))
}

fn places() -> Vec<Place> {
    sources("portal").iter().map(Place::of).collect()
}

#[test]
fn a_group_of_paths_is_read() {
    assert_eq!(heads("logs::{self, Operation};"), ["logs"]);
    assert_eq!(heads("{clusters, gpus::{self, Gpu}, users};\nuse x::{y};"), ["clusters", "gpus", "users"]);
    assert_eq!(heads("{\nclusters,\ngpus,\n};"), ["clusters", "gpus"]);
}

#[test]
fn every_feature_has_one_storey() {
    let placed: Vec<&str> = STOREYS.iter().flat_map(|(_, features)| features.iter().copied()).collect();
    let mut there: Vec<String> = places().into_iter().filter_map(|place| place.feature).collect();
    there.sort();
    there.dedup();
    for feature in &there {
        assert_eq!(placed.iter().filter(|one| **one == feature).count(), 1, "{feature}");
    }
    assert_eq!(placed.len(), there.len(), "a storey has features that there are not");
}

#[test]
fn no_feature_names_an_upper_storey() {
    none(places().iter().flat_map(|place| {
        // Other modules than features are there for all of them.
        let own = place.feature.as_deref().map_or(0, storey);
        let is_roof = place.feature.is_none() && ROOF.contains(&place.module.as_str());
        let named = place.named().into_iter().filter(move |named| !is_roof && storey(named) > own);
        named.map(|named| format!("{} names {named}", place.shown)).collect::<Vec<_>>()
    }));
}

#[test]
fn features_form_no_other_circles() {
    let places = places();
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for place in &places {
        let Some(feature) = place.feature.as_deref() else { continue };
        reached.entry(feature).or_default().extend(place.named().into_iter().filter(|named| *named != feature));
    }
    // What is reached by way of one feature, then of two, until that is all.
    let mut before = 0;
    while before != reached.values().map(BTreeSet::len).sum::<usize>() {
        before = reached.values().map(BTreeSet::len).sum();
        let by_one = reached.clone();
        for found in reached.values_mut() {
            let beyond: Vec<&str> = found.iter().filter_map(|next| by_one.get(next)).flatten().copied().collect();
            found.extend(beyond);
        }
    }
    let circle = |of: &str| -> Vec<&str> {
        let around = reached[of].iter().copied();
        around.filter(|next| reached.get(next).is_some_and(|back| back.contains(of))).collect()
    };
    let found: BTreeSet<Vec<&str>> = reached.keys().map(|of| circle(of)).filter(|circle| !circle.is_empty()).collect();
    assert_eq!(found, CIRCLES.iter().map(|circle| circle.to_vec()).collect());
}

#[test]
fn no_feature_calls_a_method_of_an_upper_storey() {
    let places = places();
    let mut methods: HashMap<&str, usize> = HashMap::new();
    for place in &places {
        let Some(feature) = &place.feature else { continue };
        methods.extend(place.methods().into_iter().map(|name| (name, storey(feature))));
    }
    assert!(methods.contains_key("clusters") && methods.contains_key("hub"), "methods are found");
    none(places.iter().filter(|place| place.feature.is_some()).flat_map(|place| {
        let own = place.feature.as_deref().map_or(0, storey);
        let calls = place.calls().into_iter().filter(|name| methods.get(name).is_some_and(|of| *of > own));
        calls.map(|name| format!("{} calls {name}", place.shown)).collect::<Vec<_>>()
    }));
}

#[test]
fn no_feature_reaches_another_by_a_way_that_has_no_name() {
    let lib = fs::read_to_string(root().join("crates/portal/src/lib.rs")).expect("text");
    let uses = lib.split(';').filter(|used| used.contains("pub use features::"));
    let names =
        uses.flat_map(|used| used.rsplit("::").next().unwrap_or_default().split([',', '{', '}']).map(str::trim));
    let shared: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    assert!(shared.contains(&"UserSummary") && shared.contains(&"has_users"), "{shared:?}");
    none(places().iter().filter(|place| place.feature.is_some()).flat_map(|place| {
        let beyond = "super::".repeat(place.depth + 1);
        let escapes = place.text.contains(&beyond).then(|| format!("{} goes up by super", place.shown));
        let heads = place.text.match_indices("crate::").flat_map(|(at, _)| heads(&place.text[at + "crate::".len()..]));
        let roof = heads.filter(|head| (ROOF.contains(head) && *head != "features") || shared.contains(head));
        let roof = roof.map(|head| format!("{} names crate::{head}", place.shown));
        escapes.into_iter().chain(roof).collect::<Vec<_>>()
    }));
}

#[test]
fn the_portal_names_no_feature() {
    let holders = ["state", "parts"].map(|module| {
        let holder = places().into_iter().find(|place| place.feature.is_none() && place.module == module);
        holder.unwrap_or_else(|| panic!("there is no module {module}"))
    });
    none(holders.iter().filter(|place| !place.named().is_empty()).map(|place| place.shown.clone()));
}
