/** How two vectors are compared; higher is better: the cosine, in [-1, 1]; the product; minus the Euclidean distance. */
export type Metric = "cosine" | "dot" | "l2";
