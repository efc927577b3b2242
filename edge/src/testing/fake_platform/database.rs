//! Real SQLite as the database.

use super::FakePlatform;
use crate::platform::database::{Database, DatabaseError, Rows, Statement};

impl Database for FakePlatform {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.yield_once().await;
        let apply = || self.world.database.transact(&statements);
        self.operate(apply, DatabaseError::Unavailable).answer().await
    }
}
