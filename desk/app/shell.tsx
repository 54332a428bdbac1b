import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Session } from "../../src/desk/api/model/session.ts";
import { Icon } from "../parts/icon.tsx";
import { Status, type Tone } from "../parts/status.tsx";
import { type LiveState, live } from "./live.ts";
import { Link, usePlace } from "./router.tsx";
import { screens } from "./screens.ts";
import { offers } from "./session.ts";
import { useStore } from "./store.ts";
import { chooseTheme, storedTheme, type Theme, themes } from "./theme.ts";

/** Navigation and state of the connection, around every screen. */
export function Shell({
  session,
  children,
}: {
  readonly session: Session;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [first = ""] = usePlace().path;
  const { viewer, server } = session;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // On a narrow screen the list scrolls sideways.
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ inline: "nearest", block: "nearest" });
  }, [first]);
  const shown = screens.filter(({ endpoint }) => offers(session, endpoint));
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="side">
        <Link href="/" class="brand">
          <span class="needle" aria-hidden="true" />
          Binnacle
        </Link>
        <nav aria-label="Screens">
          <ul ref={list}>
            {shown.map(({ segment, title, icon }) => (
              <li key={segment}>
                <Link href={`/${segment}`} current={segment === first}>
                  <Icon name={icon} />
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div class="side-foot">
          <Connection />
          <ThemeSwitch />
          <p class="hint">
            {viewer.type === "workload" ? `Namespace ${viewer.namespace} only. ` : ""}
            Version <span title={server.commit}>{server.version}</span>
          </p>
        </div>
      </header>
      <main id="content">{children}</main>
    </div>
  );
}

const connections: Readonly<Record<LiveState, readonly [Tone, string, string]>> = {
  connecting: ["wait", "Connecting", "The page opens the live stream."],
  live: ["ok", "Live", "The page follows the server."],
  waiting: ["warning", "Reconnecting", "The live stream ended. The page shows the last known state and tries again."],
};

/** Screen readers are told when it changes. */
function Connection(): JSX.Element {
  const [tone, word, explanation] = connections[useStore(live.state)];
  return (
    <div class="connection" role="status">
      <Status tone={tone} title={explanation}>
        {word}
      </Status>
    </div>
  );
}

function ThemeSwitch(): JSX.Element {
  const [theme, setTheme] = useState(storedTheme);
  const choose = (next: Theme) => {
    chooseTheme(next);
    setTheme(next);
  };
  return (
    <label class="theme">
      Theme
      <select
        value={theme}
        onChange={({ currentTarget }) => choose(themes.find((each) => each === currentTarget.value) ?? "system")}
      >
        {themes.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
