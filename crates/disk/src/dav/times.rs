//! Modification times set by `PROPPATCH`. `dav-server` treats the properties of `DAV:` and of Microsoft
//! as protected, so the request is rewritten to a private namespace, and the answer back.

use dav_server::fs::DavProp;
use http::HeaderValue;
use rustix::fs::Timespec;
use xmltree::{Element, EmitterConfig, XMLNode};

use crate::intake::seconds;

const OURS: &str = "urn:yunlab:dav:times";
const DAV: &str = "DAV:";
const MICROSOFT: &str = "urn:schemas-microsoft-com:";

/// Properties that set the modification time; rclone and Nextcloud's clients use the first.
const SETTABLE: [(&str, &str, &str); 3] =
    [("lastmodified", DAV, "D"), ("getlastmodified", DAV, "D"), ("Win32LastModifiedTime", MICROSOFT, "Z")];

/// Rewrites the body of a `PROPPATCH` into the private namespace; `None` if no property is settable.
pub(super) fn privatize(body: &[u8]) -> Option<Vec<u8>> {
    // Cheap check first: most bodies have none.
    if !body.to_ascii_lowercase().windows(12).any(|text| text == b"lastmodified") {
        return None;
    }
    let mut update = Element::parse(body).ok()?;
    let mut taken = false;
    for set in update.children.iter_mut().filter_map(XMLNode::as_mut_element).filter(|child| child.name == "set") {
        let props = set.children.iter_mut().filter_map(XMLNode::as_mut_element).filter(|child| child.name == "prop");
        for prop in props.flat_map(|props| props.children.iter_mut().filter_map(XMLNode::as_mut_element)) {
            let settable = SETTABLE
                .iter()
                .any(|(name, namespace, _)| prop.name == *name && prop.namespace.as_deref() == Some(namespace));
            if settable {
                taken = true;
                let text = prop.get_text().unwrap_or_default().into_owned();
                let mut ours = Element::new(&prop.name);
                ours.namespace = Some(OURS.to_owned());
                let mut namespaces = xmltree::Namespace::empty();
                namespaces.put("", OURS);
                ours.namespaces = Some(namespaces);
                ours.children.push(XMLNode::Text(text));
                *prop = ours;
            }
        }
    }
    if !taken {
        return None;
    }
    let mut out = Vec::new();
    update.write_with_config(&mut out, EmitterConfig::new()).ok()?;
    Some(out)
}

/// Restores the original name; `None` if the property is not in the private namespace.
pub(super) fn restore(prop: &DavProp) -> Option<DavProp> {
    if prop.namespace.as_deref() != Some(OURS) {
        return None;
    }
    let (name, namespace, prefix) = SETTABLE.iter().find(|(name, ..)| *name == prop.name)?;
    let text = |text: &str| Some(text.to_owned());
    Some(DavProp { name: (*name).to_owned(), namespace: text(namespace), prefix: text(prefix), xml: None })
}

/// Parses the property's value: seconds since 1970, or an HTTP date.
pub(super) fn time_in(prop: &DavProp) -> Option<Timespec> {
    let element = Element::parse(prop.xml.as_deref()?).ok()?;
    let text = element.get_text()?;
    let text = text.trim();
    let date = || {
        let date = httpdate::parse_http_date(text).ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(Timespec { tv_sec: i64::try_from(date.as_secs()).ok()?, tv_nsec: 0 })
    };
    seconds(&HeaderValue::from_str(text).ok()?).or_else(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prop(text: &str) -> DavProp {
        let xml = format!("<lastmodified xmlns=\"{OURS}\">{text}</lastmodified>").into_bytes();
        DavProp { name: "lastmodified".into(), prefix: None, namespace: Some(OURS.into()), xml: Some(xml) }
    }

    #[test]
    fn times() {
        let at = |text| time_in(&prop(text)).map(|at| (at.tv_sec, at.tv_nsec));
        assert_eq!(at("981173106"), Some((981_173_106, 0)));
        assert_eq!(at(" 981173106.5 "), Some((981_173_106, 500_000_000)));
        assert_eq!(at("Thu, 03 Jan 2019 10:00:00 GMT"), Some((1_546_509_600, 0)));
        for bad in ["", "yesterday", "-1", "99999999999999"] {
            assert_eq!(at(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_times_are_rewritten() {
        let body = "<?xml version=\"1.0\"?><D:propertyupdate xmlns:D=\"DAV:\" xmlns:Z=\"urn:schemas-microsoft-com:\" \
            xmlns:x=\"urn:x\"><D:set><D:prop><Z:Win32LastModifiedTime>a</Z:Win32LastModifiedTime>\
            <Z:Win32FileAttributes>00000020</Z:Win32FileAttributes><x:lastmodified>b</x:lastmodified></D:prop></D:set>\
            <D:remove><D:prop><D:getlastmodified/></D:prop></D:remove></D:propertyupdate>";
        let taken = String::from_utf8(privatize(body.as_bytes()).unwrap()).unwrap();
        let update = Element::parse(taken.as_bytes()).unwrap();
        let set = update.get_child("set").unwrap().get_child("prop").unwrap();
        let namespaces: Vec<_> = set.children.iter().map(|prop| prop.as_element().unwrap().namespace.clone()).collect();
        assert_eq!(namespaces, [OURS, MICROSOFT, "urn:x"].map(|namespace| Some(namespace.to_owned())));
        let removed = update.get_child("remove").unwrap().get_child("prop").unwrap();
        assert_eq!(removed.children[0].as_element().unwrap().namespace.as_deref(), Some(DAV));
        assert!(privatize(body.replace("Win32LastModifiedTime", "Win32CreationTime").as_bytes()).is_none());
    }
}
