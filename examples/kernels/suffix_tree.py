#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
#
# Makes the launch files of suffix_tree.cu: a reference text and its suffix tree, which is built
# by putting in one suffix after the other. Needed only to change these data.

import json
import random
import textwrap


class Node:
    def __init__(self, first, behind, depth):
        self.first, self.behind, self.depth = first, behind, depth  # depth: letters above the edge into this node
        self.children = {}


def suffix_tree(text):
    root = Node(0, 0, 0)
    for start in range(len(text)):
        node, at = root, start
        while at < len(text):
            child = node.children.get(text[at])
            if child is None:
                node.children[text[at]] = Node(at, len(text), at - start)
                break
            on = 0
            while on < child.behind - child.first and at + on < len(text) and text[child.first + on] == text[at + on]:
                on += 1
            if at + on == len(text):
                break
            if on < child.behind - child.first:  # split the edge
                middle = Node(child.first, child.first + on, child.depth)
                node.children[text[at]] = middle
                child.first += on
                child.depth += on
                middle.children[text[child.first]] = child
                child = middle
            node, at = child, at + on
    return root


def words_of(text):
    """Four words a node, as suffix_tree.cu reads them."""
    root = suffix_tree(text)
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children[c] for c in sorted(node.children))
    number = {id(node): i for i, node in enumerate(nodes)}

    def inner_node_of(letters):
        node, at = root, 0
        while at < len(letters):
            node = node.children[letters[at]]
            at += node.behind - node.first
        assert at == len(letters)
        return number[id(node)]

    words = []
    for node in nodes:
        start, end = node.first - node.depth, node.behind
        link = inner_node_of(text[start + 1 : end]) if node.children and node is not root else 0
        child = [number[id(node.children[c])] if c in node.children else 0 for c in range(4)]
        behind = node.behind if node.children else node.behind + 1  # a leaf's edge ends with the mark
        words += [node.first | behind << 16, link, child[0] | child[1] << 16, child[2] | child[3] << 16]
    return words


def buffer(name, values):
    lines = textwrap.wrap(", ".join(map(str, values)), 112)
    return (f'    {{"name": "{name}", "type": "u32", "count": {len(values)}, "init": {{"values": [\n      '
            + "\n      ".join(lines) + "]}}")


def write_launch(path, text_length, read_length, grid, block, seed):
    rng = random.Random(seed)
    text = []
    while len(text) < text_length:  # T is always followed by G, and pieces repeat: long edges at the top, a deep tree
        if text and text[-1] == 3:
            text.append(2)
        elif len(text) > 40 and rng.random() < 0.02:
            at = rng.randrange(len(text) - 20)
            text += text[at : at + rng.randrange(8, 20)]
        else:
            text.append(rng.randrange(4))
    text = text[:text_length]
    last = text_length - read_length
    places = {"name": "places", "type": "u32", "count": grid * block,
              "init": {"random": {"seed": seed, "low": 0, "high": last}}}
    reads = {"name": "reads", "type": "u32", "count": grid * block * read_length,
             "init": {"random": {"seed": seed + 1, "low": 0, "high": 39}}}
    lengths = {"name": "lengths", "type": "u32", "count": grid * block * read_length, "init": "zero"}
    params = [{"buffer": b} for b in ("tree", "text", "places", "reads", "lengths")] + [{"u32": read_length}]
    with open(path, "w") as out:
        out.write(f'{{\n  "kernel": "suffix_tree",\n  "grid": [{grid}],\n  "block": [{block}],\n  "buffers": [\n')
        out.write(",\n".join([buffer("tree", words_of(text)), buffer("text", text + [5]),
                              *("    " + json.dumps(b) for b in (places, reads, lengths))]))
        out.write('\n  ],\n  "params": [\n    ' + ",\n    ".join(map(json.dumps, params)))
        out.write('\n  ],\n  "expect": [\n    {"buffer": "reads", "reference": "suffix_tree"},'
                  '\n    {"buffer": "lengths", "reference": "suffix_tree"}\n  ]\n}\n')


write_launch("suffix_tree.launch.json", 192, 32, 2, 64, 3)
write_launch("suffix_tree.bench.launch.json", 256, 64, 32, 128, 5)
