//! Which vector a text has, without a network and without a graph.
//!
//! Two models stand behind one trait: [`StaticModel`], a table of token vectors, and [`HashModel`], hashed runs of characters
//! for any language. [`embed_all`] runs either on all threads.
//!
//! ```
//! use sluice_embed::{Embedder, HashModel, Scratch, embed_all};
//!
//! let model = HashModel::new(HashModel::DIMENSION)?;
//! let texts = ["A text.", "a  text."];
//! let mut rows = vec![0.0; texts.len() * model.dimension()];
//! let coverage = embed_all(&model, &texts[..], &mut rows, &|| false)?;
//!
//! assert_eq!(coverage.tokens, 4);
//! let (one, other) = rows.split_at(model.dimension());
//! assert_eq!(one, other);
//! # Ok::<(), sluice_embed::EmbedError>(())
//! ```

mod embed_all;
mod embed_error;
mod embedder;
mod hash_model;
mod kernels;
mod line_bytes;
mod model2vec;
mod model_folder;
mod safetensors;
mod static_model;
mod static_wordpiece;

pub use embed_all::{Texts, embed_all};
pub use embed_error::EmbedError;
pub use embedder::{Coverage, Embedder, Scratch};
pub use hash_model::HashModel;
pub use static_model::StaticModel;
