//! The network and the route of a request, which the trail keeps with the changes that the request makes.

use super::database::{Rows, Statement};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The client's network, or `None` if its address is unknown.
    pub network: Option<String>,
    /// The method and the path.
    pub route: String,
}

impl Place {
    /// Adds a statement before the batch that tells the trail's triggers the place, and one after it that removes it.
    pub(crate) fn surround(&self, statements: Vec<Statement>) -> Vec<Statement> {
        let enter = Statement::new(
            "INSERT INTO request_place (id, network, route) VALUES (1, ?1, ?2)
             ON CONFLICT (id) DO UPDATE SET network = excluded.network, route = excluded.route",
        );
        let enter = enter.bind(self.network.as_deref()).bind(self.route.as_str());
        let leave = Statement::new("DELETE FROM request_place");
        std::iter::once(enter).chain(statements).chain([leave]).collect()
    }

    /// Removes the answers to the two added statements.
    pub(crate) fn inner_answers(mut answers: Vec<Rows>) -> Vec<Rows> {
        answers.pop();
        answers.drain(..answers.len().min(1));
        answers
    }
}
