// SPDX-License-Identifier: BSL-1.0
//
// Breadth-first search of a ragged graph, level by level, from another node in each thread block. Stands for BFS Graph
// Traversal (BFS2) in the divergent set of W. Fung, T. Aamodt, "Thread Block Compaction" (HPCA 2011). Two sources of
// divergence: in each level only the nodes of the frontier have work, and a node's loop runs once for each of its
// edges. A level has two passes with a barrier between, the first reading and the second writing the depths: a node
// that two others reach in one level counts as new for both, whoever comes first.

constexpr unsigned unreached = 0xFFFFFFFFu;

extern "C" __global__ void bfs(const unsigned* first_edge, const unsigned* targets, unsigned* depths,
                               unsigned* frontiers, unsigned* reached_nodes, unsigned nodes) {
  __shared__ unsigned last_level;  // the last level in which a node was reached
  const unsigned source = blockIdx.x * 97 % nodes;
  unsigned* depth = depths + blockIdx.x * nodes;
  unsigned* frontier = frontiers + blockIdx.x * nodes;
  unsigned* reached = reached_nodes + blockIdx.x * nodes;

  if (threadIdx.x == 0) last_level = 0;
  for (unsigned v = threadIdx.x; v < nodes; v += blockDim.x) {
    depth[v] = v == source ? 0 : unreached;
    frontier[v] = v == source ? 1 : 0;
    reached[v] = 0;
  }
  __syncthreads();

#pragma unroll 1
  for (unsigned level = 1;; ++level) {
#pragma unroll 1
    for (unsigned v = threadIdx.x; v < nodes; v += blockDim.x)
      if (frontier[v] != 0) {
        frontier[v] = 0;
#pragma unroll 1
        for (unsigned e = first_edge[v]; e < first_edge[v + 1]; ++e)
          if (depth[targets[e]] == unreached) reached[targets[e]] = 1;
      }
    __syncthreads();
#pragma unroll 1
    for (unsigned v = threadIdx.x; v < nodes; v += blockDim.x)
      if (reached[v] != 0) {
        reached[v] = 0;
        depth[v] = level;
        frontier[v] = 1;
        last_level = level;
      }
    __syncthreads();
    if (last_level != level) break;
  }
}
