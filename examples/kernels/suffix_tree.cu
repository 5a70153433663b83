// SPDX-License-Identifier: BSL-1.0
//
// DNA alignment by a suffix tree, standing for GPU-Mummer of G. Diamos et al., "SIMD Re-Convergence At Thread
// Frontiers" (MICRO 2011) and "mum" of the linearization paper; after M. Schatz and C. Trapnell. One read per thread;
// for every suffix of the read, the length of its longest prefix that occurs in the reference text. The walk goes down
// the tree letter by letter until the text differs or the read ends; then it follows the suffix link of the last node
// and skips down again (E. McCreight, "A space-economical suffix tree construction algorithm", JACM 1976). Matching,
// skipping and reporting go to each other by goto, as in that program: suffix links give edges that interact, the walk
// leaves its loop for three places, and a warp's lanes are in all of them at a time.
//
// The tree, four words a node, node 0 the root:
//   [0] the letters on the edge into the node: first place in the text, place after the last << 16
//   [1] the suffix link of an inner node
//   [2] the children by first letter: A, C << 16; no child is 0
//   [3] G, T << 16
// suffix_tree.py makes it. The text ends with the mark 5. A read is a piece of the text with errors: reads[] says where
// which letter is wrong, 4 is a letter that could not be read, and becomes the read itself.

extern "C" __global__ void suffix_tree(const unsigned* tree, const unsigned* text, const unsigned* places,
                                       unsigned* reads, unsigned* lengths, unsigned read_length) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned* read = reads + thread * read_length;
  unsigned* length = lengths + thread * read_length;
#pragma unroll 1
  for (unsigned i = 0; i < read_length; ++i)
    if (read[i] > 4) read[i] = text[places[thread] + i];

  unsigned start = 0;           // the suffix of the read that is being matched
  unsigned at = 0;              // letters of the read that have matched, counted from its beginning
  unsigned node = 0;            // the last node above; its letters
  unsigned above = 0;           // end at this place in the read
  unsigned child = 0;           // the node below: its edge,
  unsigned on = 0, behind = 0;  // and what of the edge has not been matched

match:
  if (at == read_length) goto drain;
  if (on == behind) {
    node = child;
    above = at;
    const unsigned letter = read[at];
    if (letter > 3) goto off_tree;
    child = tree[4 * node + 2 + letter / 2] >> 16 * (letter % 2) & 0xFFFF;
    if (child == 0) goto off_tree;
    on = tree[4 * child] & 0xFFFF;
    behind = tree[4 * child] >> 16;
  }
  if (text[on] != read[at]) goto off_edge;
  ++on;
  ++at;
  goto match;

off_tree:
  if (node == 0) {  // no suffix begins with this letter
    length[start] = 0;
    ++start;
    ++at;
    child = 0;
    goto match;
  }
off_edge:
  length[start] = at - start;
  ++start;
  if (node == 0)
    above = start;
  else
    node = tree[4 * node + 1];
skip:  // the letters from above to at lie below the node: only the first letter of an edge needs a look
  child = node;
  on = behind;
  if (above == at) goto match;
  child = tree[4 * node + 2 + read[above] / 2] >> 16 * (read[above] % 2) & 0xFFFF;
  on = tree[4 * child] & 0xFFFF;
  behind = tree[4 * child] >> 16;
  if (at - above < behind - on) {
    on += at - above;
    goto match;
  }
  above += behind - on;
  node = child;
  goto skip;

drain:  // a suffix that matches to the end of the read: so do all shorter ones
#pragma unroll 1
  for (; start < read_length; ++start) length[start] = read_length - start;
}
