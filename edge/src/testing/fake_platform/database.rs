//! Real SQLite as the database.

use super::FakePlatform;
use crate::platform::database::tries::Timer;
use crate::platform::database::{Database, DatabaseError, Rows, Statement};
use crate::platform::isolate::Turns;

impl Database for FakePlatform {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.yield_once().await;
        let apply = || self.world.database.transact(&statements);
        self.operate(apply, DatabaseError::reported).answer().await
    }

    async fn repeatable_batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        let answer = self.batch(statements.clone()).await;
        let is_repeated = matches!(answer, Err(DatabaseError::Busy(_)));
        if is_repeated { self.batch(statements).await.map_err(DatabaseError::of_second_try) } else { answer }
    }

    fn timer(&self) -> &impl Timer {
        self.world.database.timer()
    }

    fn turns(&self) -> Option<&Turns> {
        Some(&self.world.turns)
    }
}
