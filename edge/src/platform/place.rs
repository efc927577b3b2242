//! The network and the route of a request, which the trail records with the request's changes.

use super::database::Statement;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The client's network, or `None` if its address is unknown.
    pub network: Option<String>,
    /// The method and the path.
    pub route: String,
}

impl Place {
    /// Returns the statement before a batch that sets the place for the trail's triggers.
    pub(super) fn enter(&self) -> Statement {
        let enter = Statement::new(
            "INSERT INTO request_place (id, network, route) VALUES (1, ?1, ?2)
             ON CONFLICT (id) DO UPDATE SET network = excluded.network, route = excluded.route",
        );
        enter.bind(self.network.as_deref()).bind(self.route.as_str())
    }

    /// Returns the statement after the batch that removes it.
    pub(super) fn leave() -> Statement {
        Statement::new("DELETE FROM request_place")
    }
}
