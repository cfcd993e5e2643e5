//! The columns of a batch, for tests that compare batches.

use ludovec::engine::VectorEnv;
use ludovec::engine::columns::ColumnInfo;

/// All bytes of a batch's columns.
pub fn shown(env: &dyn VectorEnv) -> Vec<(&'static str, Vec<u8>)> {
    let columns = env.columns();
    let bytes = |info: &ColumnInfo| {
        let len = columns.num_envs() * info.width * info.dtype.size();
        // Safety: a listed column has this many bytes, which live as long as the batch.
        unsafe { std::slice::from_raw_parts(info.address, len) }.to_vec()
    };
    columns.list().iter().map(|info| (info.name, bytes(info))).collect()
}
