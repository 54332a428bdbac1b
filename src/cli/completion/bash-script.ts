import { type CompletedCommand, choicesOf } from "./completed-command.ts";

/** For `source <(binnacle completion bash)`. Other arguments than flags and known words are paths. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const names = commands.flatMap((command) => command.names);
  return `# bash completion for binnacle: source <(binnacle completion bash)
_binnacle() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" flags="" words=""
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "${[...names, "help"].join(" ")}" -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) words="${names.join(" ")}" ;;
${commands.map(wordsLine).join("\n")}
  esac
  case "\${COMP_WORDS[1]} $prev" in
${commands.flatMap(choiceLines).join("\n")}
  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $words && $COMP_CWORD -eq 2 ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -o filenames -F _binnacle binnacle`;
}

function wordsLine({ names, flags, words }: CompletedCommand): string {
  const own = flags.flatMap(({ name, short }) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);
  return `    ${names.join("|")}) flags="${own.join(" ")}" words="${words.join(" ")}" ;;`;
}

function choiceLines({ names, flags }: CompletedCommand): readonly string[] {
  return flags.flatMap((flag) => {
    const choices = choicesOf(flag);
    if (choices.length === 0) return [];
    const before = names.flatMap((name) => [
      `"${name} --${flag.name}"`,
      ...(flag.short === undefined ? [] : [`"${name} -${flag.short}"`]),
    ]);
    return `    ${before.join("|")}) COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$cur")); return ;;`;
  });
}
