//! What this repository's own files must keep to: the layers, the words, the hooks. Of the product nothing runs here, so
//! that `./test` tells it within minutes.

mod architecture;
mod hooks;
mod layers;
mod storeys;
mod words;
