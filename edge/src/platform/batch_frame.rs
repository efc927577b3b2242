//! The statements around every batch of a request: before its own statements, they check the signer and set the place
//! of the request; after them, they ask for follow-ups.

use super::database::{DatabaseError, Rows, Statement};
use super::follow_ups::FollowUps;
use super::place::Place;
use super::signer::Signer;

#[derive(Clone, Debug, Default)]
pub(crate) struct BatchFrame {
    /// The origin that signed the request, if an origin sent it.
    pub signer: Option<Signer>,
    /// The request's network and route, if the trail records its changes.
    pub place: Option<Place>,
    /// The list of follow-ups, if they are to be carried out.
    pub follow_ups: Option<FollowUps>,
}

/// A batch with the statements around it.
#[derive(Debug)]
pub(crate) struct FramedBatch<'a> {
    statements: Vec<Statement>,
    /// The numbers of statements before the batch's own, and of its own.
    before: usize,
    own: usize,
    /// The list that gets the result of the last statement.
    follow_ups: Option<&'a FollowUps>,
}

impl BatchFrame {
    pub(crate) fn surround(&self, own: Vec<Statement>) -> FramedBatch<'_> {
        let follow_ups = self.follow_ups.as_ref().filter(|_| !own.iter().all(Statement::only_reads));
        let mut statements: Vec<_> = self.signer.iter().map(Signer::require_valid).collect();
        statements.extend(self.place.as_ref().map(Place::enter));
        let (before, length) = (statements.len(), own.len());
        statements.extend(own);
        statements.extend(self.place.as_ref().map(|_| Place::leave()));
        statements.extend(follow_ups.map(|_| FollowUps::question()));
        FramedBatch { statements, before, own: length, follow_ups }
    }
}

impl FramedBatch<'_> {
    pub(crate) fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// Records the follow-ups, and returns the results of the batch's own statements.
    pub(crate) fn own_answers(&self, mut answers: Vec<Rows>) -> Result<Vec<Rows>, DatabaseError> {
        if let (Some(follow_ups), Some(answer)) = (self.follow_ups, answers.last()) {
            follow_ups.add(answer)?;
        }
        answers.truncate(self.before + self.own);
        answers.drain(..self.before.min(answers.len()));
        Ok(answers)
    }
}

#[cfg(test)]
mod tests;
