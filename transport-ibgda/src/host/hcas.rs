//! Which NICs the user allows.

use std::fmt;

/// A list of NICs, each with a port if one is meant: the NICs to use, or those to leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HcaList {
    /// The list says which to leave out.
    pub excludes: bool,
    /// Name, and port if one is meant.
    pub entries: Vec<(String, Option<u8>)>,
}

impl HcaList {
    /// Reads `mlx5_0:1,mlx5_1:2`, or `^mlx5_2` for all but these; nothing is no list.
    ///
    /// # Errors
    /// What is wrong with the text, as a clause.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (excludes, list) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
        if list.is_empty() {
            return if excludes { Err("it names nothing behind the ^".into()) } else { Ok(Self::default()) };
        }
        let entry = |text: &str| {
            let (name, port) = match text.split_once(':') {
                Some((name, port)) => (name, Some(port)),
                None => (text, None),
            };
            let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
            if name.is_empty() || name.len() > 64 || !is_name(name) {
                return Err(format!("`{name}` is not the name of a NIC"));
            }
            let port = port.map(|port| match port.parse() {
                Ok(port) if port > 0 => Ok(port),
                _ => Err(format!("`{port}` is not the number of a port")),
            });
            Ok((name.to_string(), port.transpose()?))
        };
        let entries = list.split(',').map(|text| entry(text.trim())).collect::<Result<_, _>>()?;
        Ok(Self { excludes, entries })
    }

    /// Whether any NIC is named.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether port `port` of NIC `name` may be used.
    pub fn allows(&self, name: &str, port: u8) -> bool {
        let named = self.entries.iter().any(|(entry, only)| entry == name && only.is_none_or(|only| only == port));
        self.entries.is_empty() || named != self.excludes
    }

    /// Whether any port of NIC `name` may be used.
    pub fn may_allow(&self, name: &str) -> bool {
        match self.excludes {
            true => !self.entries.iter().any(|(entry, only)| entry == name && only.is_none()),
            false => self.entries.is_empty() || self.entries.iter().any(|(entry, _)| entry == name),
        }
    }
}

impl fmt::Display for HcaList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.excludes { "^" } else { "" })?;
        for (i, (name, port)) in self.entries.iter().enumerate() {
            write!(f, "{}{name}", if i == 0 { "" } else { "," })?;
            port.map_or(Ok(()), |port| write!(f, ":{port}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_nics_and_ports_or_leaves_them_out() {
        let list = HcaList::parse("mlx5_0:1, mlx5_1").unwrap();
        assert!(list.allows("mlx5_0", 1) && !list.allows("mlx5_0", 2) && list.allows("mlx5_1", 2));
        assert!(!list.allows("mlx5_10", 1) && !list.may_allow("mlx5_2") && list.may_allow("mlx5_0"));
        let all_but = HcaList::parse("^mlx5_2,mlx5_3:2").unwrap();
        assert!(all_but.allows("mlx5_0", 1) && !all_but.allows("mlx5_2", 1));
        assert!(all_but.allows("mlx5_3", 1) && !all_but.allows("mlx5_3", 2));
        assert!(!all_but.may_allow("mlx5_2") && all_but.may_allow("mlx5_3"));
        assert!(HcaList::parse("").unwrap().allows("any", 7));
        for list in ["mlx5_0:1,mlx5_1", "^mlx5_2,mlx5_3:2", ""] {
            assert_eq!(HcaList::parse(list).unwrap().to_string(), list);
        }
    }

    #[test]
    fn what_is_no_list_is_refused_with_the_reason() {
        for (text, reason) in [
            ("^", "nothing"),
            ("mlx5_0:", "port"),
            ("mlx5_0:0", "port"),
            ("a,,b", "name"),
            ("mlx5_0:256", "port"),
            ("a b", "name"),
        ] {
            let refused = HcaList::parse(text).unwrap_err();
            assert!(refused.contains(reason), "{text}: {refused}");
        }
    }
}
