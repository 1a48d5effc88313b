import { defineConfig } from 'vitepress';
import { repository } from '../../package.json';
import { extendMarkdown, slug } from '../../scripts/site/markdown';
import { rewritten, sidebars } from '../../scripts/site/pages';

const address = repository.url.replace(/\.git$/, '');

/** The site is docs/, as GitHub shows it: pages use no syntax of VitePress. Nothing on it is loaded from another host. */
export default defineConfig({
  title: 'Trainyard',
  description: 'Typed constructs for machine-learning training and serving on Kubernetes',
  outDir: '../dist/site',
  cacheDir: '../dist/.site-cache',
  rewrites: rewritten,
  ignoreDeadLinks: 'localhostLinks',
  // The index of the search is one file, loaded when a reader searches.
  vite: { build: { chunkSizeWarningLimit: 4096 } },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slug },
    // GitHub shows braces after a word as they are.
    attrs: { disable: true },
    config: (markdown) => extendMarkdown(markdown, address),
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: sidebars() as never,
    outline: [2, 3],
    nav: [
      { text: 'Data scientists', link: '/tutorial' },
      { text: 'Platform engineers', link: '/operator/' },
      { text: 'From Kubeflow', link: '/migrate' },
      { text: 'Reference', link: '/reference/' },
    ],
    socialLinks: [{ icon: 'github', link: address }],
  },
});
