import type { ComponentChildren, JSX } from "preact";
import { Link } from "../../app/router.tsx";
import { Page } from "../../parts/page.tsx";

const lists = [
  { href: "/mesh", title: "Who may call whom" },
  { href: "/mesh/services", title: "Services" },
  { href: "/mesh/gateways", title: "Gateways" },
  { href: "/mesh/conflicts", title: "Conflicts" },
] as const;

export interface MeshPageProps {
  readonly current: (typeof lists)[number]["href"];
  readonly children: ComponentChildren;
}

/** One of the lists of the mesh, with links to the others. */
export function MeshPage({ current, children }: MeshPageProps): JSX.Element {
  return (
    <Page title="Mesh">
      <nav aria-label="Lists of the mesh">
        <ul class="tabs">
          {lists.map(({ href, title }) => (
            <li key={href}>
              <Link href={href} class="tab" current={href === current}>
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </Page>
  );
}
