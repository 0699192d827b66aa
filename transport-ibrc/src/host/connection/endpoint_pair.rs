//! Addresses of a queue's endpoints, as one endpoint of the shared connection data.

/// The addresses of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::host) struct EndpointPair {
    /// Of the endpoint for all requests, or for those that are not fetches.
    pub(in crate::host) main: Vec<u8>,
    /// Of the endpoint for fetches, if they have one.
    pub(in crate::host) fetch: Option<Vec<u8>>,
}

impl EndpointPair {
    /// Returns the two addresses in one string, which is never empty.
    pub(in crate::host) fn encode(&self) -> Vec<u8> {
        let mut bytes = (self.main.len() as u16).to_le_bytes().to_vec();
        bytes.extend(&self.main);
        if let Some(fetch) = &self.fetch {
            bytes.push(1);
            bytes.extend(fetch);
        }
        bytes
    }

    /// Returns the addresses of such a string. `None`: it has another form.
    pub(in crate::host) fn decode(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk()?;
        let (main, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
        let fetch = match rest {
            [] => None,
            [1, fetch @ ..] => Some(fetch.to_vec()),
            _ => return None,
        };
        Some(Self { main: main.to_vec(), fetch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_as_they_were_also_empty_ones() {
        for main in [vec![], vec![1, 2, 3]] {
            for fetch in [None, Some(vec![]), Some(vec![4, 5])] {
                let pair = EndpointPair { main: main.clone(), fetch };
                let bytes = pair.encode();
                assert!(!bytes.is_empty());
                assert_eq!(EndpointPair::decode(&bytes), Some(pair));
            }
        }
        assert_eq!((EndpointPair::decode(&[]), EndpointPair::decode(&[2, 0, 1])), (None, None));
        assert_eq!(EndpointPair::decode(&[1, 0, 7, 2]), None);
    }
}
