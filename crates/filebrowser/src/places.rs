//! The destinations of a File Browser's folders on the disk.
//!
//! File Browser has one tree, of which each user sees a part, the scope; several users may have the same. The disk has
//! a home for each user, a public share for all, and folders of groups. A scope of one user becomes the home; the
//! common scope of all ordinary users becomes the public share; any other has no counterpart, because files of some
//! users must not become visible to all, and goes where the administrator says.

use crate::folder::Folder;

const HOME: &str = "home";
const SHARED: [&str; 3] = ["share", "groups", "datasets"];

/// A user who will have an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// On the platform.
    pub username: String,
    /// Whether they will see the whole disk.
    pub admin: bool,
    /// Their folder at the File Browser.
    pub scope: Folder,
}

/// Folders with their destinations on the disk; `None`: not imported.
#[derive(Clone, Debug, Default)]
pub struct Places(Vec<(Folder, Option<Folder>)>);

impl Places {
    /// Computes the destinations for these users. `given` has priority.
    #[must_use]
    pub fn new(people: &[Person], given: &[(Folder, Folder)]) -> Self {
        let mut places: Vec<_> = given.iter().map(|(from, to)| (from.clone(), Some(to.clone()))).collect();
        for person in people {
            if !places.iter().any(|(known, _)| *known == person.scope) {
                places.push((person.scope.clone(), choose(&person.scope, people)));
            }
        }
        places.sort();
        Self(places)
    }

    /// All of them, by name.
    #[must_use]
    pub fn all(&self) -> &[(Folder, Option<Folder>)] {
        &self.0
    }

    /// The destination of a path: by the nearest folder at or above it that has one.
    #[must_use]
    pub fn of(&self, entry: &Folder) -> Option<Folder> {
        let above = self.0.iter().filter_map(|(from, to)| Some((from, to, from.below(entry)?)));
        let (_, to, below) = above.max_by_key(|(from, ..)| from.names().len())?;
        Some(to.as_ref()?.with(below))
    }

    /// The folders below this one that have a destination of their own, with that destination.
    pub fn below<'a>(&'a self, entry: &'a Folder) -> impl Iterator<Item = (&'a Folder, Option<&'a Folder>)> {
        let inner = move |(from, _): &&(Folder, Option<Folder>)| from != entry && entry.below(from).is_some();
        self.0.iter().filter(inner).map(|(from, to)| (from, to.as_ref()))
    }
}

fn choose(scope: &Folder, people: &[Person]) -> Option<Folder> {
    let sharers: Vec<&Person> = people.iter().filter(|person| person.scope == *scope).collect();
    let ordinary = |people: &[&Person]| people.iter().filter(|person| !person.admin).count();
    let all: Vec<&Person> = people.iter().collect();
    match (&sharers[..], ordinary(&sharers)) {
        // Administrators see everything anyway.
        ([first], _) | ([first, ..], 0) => Some(Folder::new(HOME).join(&first.username)),
        (_, some) if some == ordinary(&all) => Some(Folder::new(SHARED[0])),
        _ => None,
    }
}

impl Person {
    /// The path in the user's view of a place on the disk; `None` if it is invisible.
    #[must_use]
    pub fn says(&self, place: &Folder) -> Option<Folder> {
        let [first, below @ ..] = place.names() else { return self.admin.then(|| place.clone()) };
        match below {
            _ if self.admin || SHARED.contains(&first.as_str()) => Some(place.clone()),
            [owner, below @ ..] if first == HOME && *owner == self.username => Some(Folder::new(HOME).with(below)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn person(username: &str, admin: bool, scope: &str) -> Person {
        Person { username: username.to_owned(), admin, scope: Folder::new(scope) }
    }

    fn places(people: &[Person]) -> Vec<(String, String)> {
        let word = |place: &Option<Folder>| place.as_ref().map_or_else(|| "nowhere".to_owned(), ToString::to_string);
        Places::new(people, &[]).all().iter().map(|(from, to)| (from.to_string(), word(to))).collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect()
    }

    #[test]
    fn a_folder_of_ones_own_becomes_the_home() {
        let people = [person("boss", true, "/"), person("ann", false, "/users/ann"), person("bob", false, "/bob")];
        let expected = [("/", "/home/boss"), ("/bob", "/home/bob"), ("/users/ann", "/home/ann")];
        assert_eq!(places(&people), pairs(&expected));
    }

    #[test]
    fn a_folder_of_all_becomes_the_public_share() {
        let people = [person("boss", true, "/"), person("ann", false, "/"), person("bob", false, "/")];
        assert_eq!(places(&people), pairs(&[("/", "/share")]));
        let admins = [person("boss", true, "/"), person("chief", true, "/"), person("ann", false, "/ann")];
        assert_eq!(places(&admins), pairs(&[("/", "/home/boss"), ("/ann", "/home/ann")]));
    }

    #[test]
    fn a_folder_of_some_is_not_shown_to_all() {
        let people = [person("ann", false, "/team"), person("bob", false, "/team"), person("eve", false, "/eve")];
        assert_eq!(places(&people), pairs(&[("/eve", "/home/eve"), ("/team", "nowhere")]));
        let given = [(Folder::new("/team"), Folder::new("/groups/team"))];
        let given = Places::new(&people, &given);
        assert_eq!(given.of(&Folder::new("/team/plan.txt")), Some(Folder::new("/groups/team/plan.txt")));
    }

    #[test]
    fn an_entry_goes_with_the_nearest_folder() {
        let places = Places::new(&[person("boss", true, "/"), person("ann", false, "/users/ann")], &[]);
        let of = |path: &str| places.of(&Folder::new(path)).map(|place| place.to_string());
        assert_eq!(of("/movies/x").as_deref(), Some("/home/boss/movies/x"));
        assert_eq!(of("/users/ann/a").as_deref(), Some("/home/ann/a"));
        assert_eq!(of("/users/anna").as_deref(), Some("/home/boss/users/anna"));
        let root = Folder::new("/");
        let below: Vec<String> = places.below(&root).map(|(from, _)| from.to_string()).collect();
        assert_eq!(below, ["/users/ann"]);
    }

    #[test]
    fn people_say_what_they_see() {
        let (ann, boss) = (person("ann", false, "/"), person("boss", true, "/"));
        let says = |who: &Person, place: &str| who.says(&Folder::new(place)).map(|said| said.to_string());
        assert_eq!(says(&ann, "/home/ann/a").as_deref(), Some("/home/a"));
        assert_eq!((says(&ann, "/home/bob"), says(&ann, "/")), (None, None));
        assert_eq!(says(&ann, "/share/x").as_deref(), Some("/share/x"));
        assert_eq!(says(&boss, "/home/ann/a").as_deref(), Some("/home/ann/a"));
    }
}
