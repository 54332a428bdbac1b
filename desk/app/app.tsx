import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { Session } from "../../src/desk/api/model/session.ts";
import { Empty, Failure } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { live } from "./live.ts";
import { Guarded, PageProblem } from "./page-problem.tsx";
import { Link, usePlace } from "./router.tsx";
import { screens } from "./screens.ts";
import { offers, SessionContext } from "./session.ts";
import { Shell } from "./shell.tsx";
import { SignIn } from "./sign-in.tsx";
import { useApi } from "./use-api.ts";

/** The whole desk. A viewer whom the server does not know is asked for a token first. */
export function App(): JSX.Element {
  const { loaded, retry, refresh } = useApi<Session>("/session");
  const known = loaded.type === "ready";
  useEffect(() => {
    if (known) live.start();
  }, [known]);

  if (loaded.type === "loading") return <p class="loading alone">Loading …</p>;
  if (loaded.type === "ready")
    return (
      <SessionContext.Provider value={{ session: loaded.value, reload: refresh }}>
        <Shell session={loaded.value}>
          <PageProblem />
          <Screen session={loaded.value} />
        </Shell>
      </SessionContext.Provider>
    );
  if (loaded.failure.status === 401) return <SignIn onDone={retry} />;
  return (
    <main class="alone">
      <Failure failure={loaded.failure} retry={retry} />
    </main>
  );
}

function Screen({ session }: { readonly session: Session }): JSX.Element {
  const { path, query } = usePlace();
  const [first = "", ...rest] = path;
  const screen = screens.find(({ segment, endpoint }) => segment === first && offers(session, endpoint));
  if (screen !== undefined)
    return (
      <Guarded key={path.join("/")}>
        <screen.View path={rest} query={query} />
      </Guarded>
    );
  return (
    <Page title="No such page">
      <Empty title="The desk has no page at this address.">
        <p>
          Go to the <Link href="/">overview</Link>.
        </p>
      </Empty>
    </Page>
  );
}
