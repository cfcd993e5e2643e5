//! `Debug` for values behind the dynamic traits.

use std::fmt::{Debug, Formatter, Result};

use crate::dynamic::any_game::AnyGame;
use crate::dynamic::tree_search::TreeSearch;
use crate::dynamic::vector::VectorEnv;

impl Debug for dyn AnyGame {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let spec = self.spec();
        f.debug_struct("AnyGame")
            .field("env", &spec.env)
            .field("options", &spec.options)
            .finish_non_exhaustive()
    }
}

impl Debug for dyn TreeSearch {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (trees, settings) = (self.num_trees(), self.settings());
        f.debug_struct("TreeSearch")
            .field("num_trees", &trees)
            .field("settings", settings)
            .finish_non_exhaustive()
    }
}

impl Debug for dyn VectorEnv {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.debug_struct("VectorEnv")
            .field("game", &self.game())
            .field("config", self.config())
            .finish_non_exhaustive()
    }
}
