import type { DocumentedFlag } from "../command.ts";
import { type CompletedCommand, choicesOf, firstSentence } from "./completed-command.ts";

/** For `source <(binnacle completion zsh)`, or a file `_binnacle` in a directory of `$fpath`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const listed = commands.flatMap(({ names, summary }) => names.map((name) => quoted(`${name}:${summary}`)));
  return `#compdef binnacle
# zsh completion for binnacle: source <(binnacle completion zsh)
_binnacle() {
  local -a commands
  commands=(
${listed.map((line) => `    ${line}`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  words=("\${(@)words[2,-1]}")
  (( CURRENT-- ))
  case $words[1] in
${commands.map(caseOf).join("\n")}
  esac
}
(( $+functions[compdef] )) && compdef _binnacle binnacle`;
}

function caseOf({ names, flags, words }: CompletedCommand): string {
  const first = words.length === 0 ? [] : [quoted(`1:word:(${words.join(" ")})`)];
  const specs = [...flags.flatMap(specsOf), ...first, quoted("*:file:_files")];
  return `    ${names.join("|")}) _arguments ${specs.join(" ")} ;;`;
}

/** A flag may come more than once; its value is one of a few, or a file. */
function specsOf(flag: DocumentedFlag): readonly string[] {
  const { name, short, type, doc } = flag;
  const choices = choicesOf(flag);
  const values = choices.length === 0 ? "_files" : `(${choices.join(" ")})`;
  const rest = `[${escaped(firstSentence(doc))}]${type === "switch" ? "" : `:value:${values}`}`;
  return [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].map((each) => quoted(`*${each}${rest}`));
}

function escaped(text: string): string {
  return text.replaceAll(/[[\]:\\]/gu, (character) => `\\${character}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
