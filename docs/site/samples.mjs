// A task in several languages: consecutive blocks of code become one group, which `tabs.mjs` shows as tabs. Without a
// script, all blocks are shown one after another.

// Returns the name of a block's tab, or undefined if the block never belongs to a group. The first word after the fence is
// the language, and the others are marks.
export function tabOf(info) {
  const [language, ...marks] = info.trim().split(/\s+/);
  if (marks.includes("setup") || marks.includes("browser")) return undefined;
  if (language === "sh") return marks.includes("clipgate") ? "clipgate" : "curl";
  return { js: "JavaScript", python: "Python" }[language];
}

// A plugin of markdown-it.
export function sampleTabs(markdown) {
  markdown.core.ruler.push("sample_tabs", (state) => {
    state.tokens = groupsOf(state.tokens).flatMap((run) => (run.length > 1 ? group(run, state) : run));
  });
  const { escapeHtml } = markdown.utils;
  markdown.renderer.rules.sample_name = (tokens, index) => `<p class="language">${escapeHtml(tokens[index].content)}</p>\n`;
  markdown.renderer.rules.sample_tabs = () => '<div class="tabs"></div>\n';
}

// Splits the tokens into runs: blocks of code that belong together, and every other token alone. A tab that a run has
// already begins the next run.
export function groupsOf(tokens) {
  const runs = [];
  let tabs = new Set();
  for (const token of tokens) {
    const tab = token.type === "fence" ? tabOf(token.info) : undefined;
    if (tab && tabs.size && !tabs.has(tab)) {
      runs.at(-1).push(token);
    } else {
      tabs = new Set();
      runs.push([token]);
    }
    if (tab) tabs.add(tab);
    else tabs = new Set();
  }
  return runs;
}

function group(blocks, { Token, env }) {
  env.groups = (env.groups ?? 0) + 1;
  const open = (attributes) => Object.assign(new Token("sample_open", "div", 1), { block: true, attrs: Object.entries(attributes) });
  const close = () => Object.assign(new Token("sample_close", "div", -1), { block: true });
  const samples = blocks.flatMap((block) => {
    const tab = tabOf(block.info);
    const name = Object.assign(new Token("sample_name", "p", 0), { content: tab });
    return [open({ class: "sample", id: `sample-${env.groups}-${tab.toLowerCase()}`, "data-tab": tab }), name, block, close()];
  });
  return [open({ class: "samples" }), new Token("sample_tabs", "div", 0), ...samples, close()];
}
