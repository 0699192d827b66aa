//! The NICs that the user allows.

use std::fmt;

/// A list of NICs to use or to leave out, each with a port if one was named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HcaList {
    /// Whether the list has the NICs to leave out.
    pub excludes: bool,
    /// The name, and the port if one was named.
    pub entries: Vec<(String, Option<u8>)>,
}

impl HcaList {
    /// Parses `mlx5_0:1,mlx5_1:2`, or `^mlx5_2` for all but these. An empty text is an empty list.
    ///
    /// # Errors
    /// A clause that describes the mistake in the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (excludes, list) = text.strip_prefix('^').map_or((false, text), |rest| (true, rest));
        if list.is_empty() {
            return if excludes { Err("no name follows the ^".into()) } else { Ok(Self::default()) };
        }
        let entry = |text: &str| {
            let (name, port) = match text.split_once(':') {
                Some((name, port)) => (name, Some(port)),
                None => (text, None),
            };
            Ok((nic(name)?, port.map(number).transpose()?))
        };
        let entries = list.split(',').map(|text| entry(text.trim())).collect::<Result<_, String>>()?;
        Ok(Self { excludes, entries })
    }

    /// Reports whether the list names the NICs to use. Each of them must then be usable, and they are used in this
    /// order.
    pub fn chooses(&self) -> bool {
        !self.excludes && !self.entries.is_empty()
    }

    /// Reports whether the list names any NIC.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Reports whether port `port` of NIC `name` may be used.
    pub fn allows(&self, name: &str, port: u8) -> bool {
        let named = self.entries.iter().any(|(entry, only)| entry == name && only.is_none_or(|only| only == port));
        self.entries.is_empty() || named != self.excludes
    }

    /// Reports whether any port of NIC `name` may be used.
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

/// The NIC of each PE of a host: the first entry's NIC for its number of PEs, the second entry's for the following PEs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HcaMapping {
    /// The name, the port and the number of PEs.
    pub entries: Vec<(String, u8, u32)>,
}

impl HcaMapping {
    /// Parses `mlx5_0:1:2,mlx5_1:1:2`: two PEs use port 1 of the first NIC, the next two port 1 of the second. An empty
    /// text is an empty mapping.
    ///
    /// # Errors
    /// A clause that describes the mistake in the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let entry = |text: &str| {
            let [name, port, count] = text.split(':').collect::<Vec<_>>()[..] else {
                return Err(format!("`{text}` is not NAME:PORT:PES"));
            };
            let all_digits = count.bytes().all(|b| b.is_ascii_digit());
            let count = count.parse().ok().filter(|count| all_digits && (1..=1 << 16).contains(count));
            Ok((nic(name)?, number(port)?, count.ok_or_else(|| format!("`{text}` ends with no number of PEs"))?))
        };
        Ok(Self { entries: text.split(',').map(|text| entry(text.trim())).collect::<Result<_, _>>()? })
    }

    /// Returns the number of PEs of a host to which it assigns a NIC.
    pub fn pes(&self) -> u32 {
        self.entries.iter().map(|(_, _, count)| count).sum()
    }

    /// Returns the NIC and port of the PE that has `place` others of its host before it.
    pub fn of(&self, place: u32) -> Option<(&str, u8)> {
        let mut before = 0;
        let found = self.entries.iter().find(|(_, _, count)| {
            before += count;
            place < before
        })?;
        Some((&found.0, found.1))
    }
}

impl fmt::Display for HcaMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, port, count)) in self.entries.iter().enumerate() {
            write!(f, "{}{name}:{port}:{count}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

fn nic(name: &str) -> Result<String, String> {
    let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    if name.is_empty() || name.len() > 64 || !is_name(name) {
        return Err(format!("`{name}` is not the name of a NIC"));
    }
    Ok(name.to_string())
}

fn number(port: &str) -> Result<u8, String> {
    let all_digits = port.bytes().all(|b| b.is_ascii_digit());
    match port.parse() {
        Ok(port) if port > 0 && all_digits => Ok(port),
        _ => Err(format!("`{port}` is not the number of a port")),
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
    fn a_mapping_gives_each_pe_of_a_host_its_port() {
        let mapping = HcaMapping::parse("mlx5_0:1:2, mlx5_0:2:1").unwrap();
        let of: Vec<_> = (0..4).map(|place| mapping.of(place)).collect();
        assert_eq!(of, [Some(("mlx5_0", 1)), Some(("mlx5_0", 1)), Some(("mlx5_0", 2)), None]);
        assert_eq!((mapping.pes(), mapping.to_string().as_str()), (3, "mlx5_0:1:2,mlx5_0:2:1"));
        assert_eq!(HcaMapping::parse(" ").unwrap(), HcaMapping::default());
        for (text, reason) in [
            ("mlx5_0:1", "NAME:PORT:PES"),
            ("mlx5_0:0:1", "port"),
            (":1:1", "name"),
            ("a:1:0", "number of PEs"),
            ("a:1:b", "PEs"),
        ] {
            let refused = HcaMapping::parse(text).unwrap_err();
            assert!(refused.contains(reason), "{text}: {refused}");
        }
    }

    #[test]
    fn a_malformed_list_is_refused_with_the_reason() {
        for (text, reason) in [
            ("^", "no name"),
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
