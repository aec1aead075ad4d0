//! The user names of the SSH protocol: who, which instance, or both. Pure.

/// What a client gives as its user name: `user`, `instance` or `user+instance`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Login {
    /// The account; `None` where only an instance is named: then the key says who it is.
    pub user: Option<String>,
    /// The instance, as the client names it; `None` for a choice among all of the account's.
    pub instance: Option<String>,
}

impl Login {
    /// Reads a user name. `is_instance` tells names of instances from those of accounts.
    #[must_use]
    pub fn parse(name: &str, is_instance: impl Fn(&str) -> bool) -> Self {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        match name.split_once('+') {
            Some((user, instance)) => Self { user: some(user), instance: some(instance) },
            None if is_instance(name) => Self { user: None, instance: some(name) },
            None => Self { user: some(name), instance: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str) -> (Option<String>, Option<String>) {
        let login = Login::parse(name, |name| name.starts_with("ins_"));
        (login.user, login.instance)
    }

    #[test]
    fn a_name_is_of_an_account_or_of_an_instance_or_both() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(parse("ann"), (some("ann"), None));
        assert_eq!(parse("ins_ann_GPUabcde"), (None, some("ins_ann_GPUabcde")));
        assert_eq!(parse("ann+ins_ann_GPUabcde"), (some("ann"), some("ins_ann_GPUabcde")));
        assert_eq!(parse("ann+0198"), (some("ann"), some("0198")));
        assert_eq!(parse("+x"), (None, some("x")));
        assert_eq!(parse("ann+"), (some("ann"), None));
        assert_eq!(parse(""), (None, None));
    }
}
