/** Line icons on a 24×24 grid. They are hidden from screen readers: a label is always beside them or on the button. */

const PATHS = {
  sessions: 'M5 4v16M5 15c0-4 7-3 7-7V4M16 6h4M16 12h4M12 18h8',
  grid: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  inbox: 'M4 13l2.5-8h11L20 13v6H4zM4 13h5l1.2 2.5h3.6L15 13h5',
  plus: 'M12 5v14M5 12h14',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  usage: 'M4 20h16M7 16v-5M12 16V6M17 16v-8',
  policy: 'M12 3l8 3v6c0 5-3.5 7.500-8 9-4.500-1.500-8-4-8-9V6zM9 12l2 2 4-4',
  terminal: 'M4 5h16v14H4zM7.500 9.500l3 2.500-3 2.500M13 15h4',
  back: 'M15 5l-7 7 7 7',
  more: 'M5.500 12h1M11.500 12h1M17.500 12h1',
  stop: 'M7 7h10v10H7z',
  pause: 'M9 6v12M15 6v12',
  play: 'M8 5.500v13l10-6.500z',
  fork: 'M7 4v16M7 14c0-4 10-3 10-8V4M17 4l-2.500 2.500M17 4l2.500 2.500',
  rewind: 'M11 7l-6 5 6 5zM19 7l-6 5 6 5z',
  undo: 'M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6',
  redo: 'M15 7l5 5-5 5M20 12H10a6 6 0 0 0-6 6',
  split: 'M4 5h16v14H4zM12 5v14',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  command:
    'M9 9V6.500a2.500 2.500 0 1 0-2.500 2.500zM15 9V6.500a2.500 2.500 0 1 1 2.500 2.500zM9 15v2.500a2.500 2.500 0 1 1-2.500-2.500zM15 15v2.500a2.500 2.500 0 1 0 2.500-2.500zM9 9h6v6H9z',
  cross: 'M6 6l12 12M18 6L6 18',
  edit: 'M5 19l1-4L16 5l3 3L9 18z',
  image: 'M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 5M15.500 9.500h.01',
  send: 'M12 20V5M6 10.500L12 4.500l6 6',
  chevron: 'M9 6l6 6-6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  up: 'M12 19V5M6 11l6-6 6 6',
  wide: 'M3 12h18M7 8l-4 4 4 4M17 8l4 4-4 4',
  folder: 'M3 6h6l2 2h10v11H3z',
  attach:
    'M20 11l-8.500 8.500a5 5 0 0 1-7-7L13 4a3.300 3.300 0 0 1 4.700 4.700l-8.500 8.500a1.700 1.700 0 0 1-2.400-2.400L14.500 7',
  bookmark: 'M7 4h10v16l-5-4-5 4z',
  unfold: 'M8 10l4-4 4 4M8 14l4 4 4-4',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  globe: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c5 5.500 5 12.500 0 18-5-5.500-5-12.500 0-18',
  agent: 'M12 4v3M6 7h12v10H6zM9.500 11.500h.01M14.500 11.500h.01M9 20h6',
  list: 'M9 6h11M9 12h11M9 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01',
  plug: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  pin: 'M9 4h6l-1 6 3 3H7l3-3zM12 13v7',
  bell: 'M6 17V11a6 6 0 0 1 12 0v6l1.500 2h-15zM10.500 21h3M4 4l16 16',
  archive: 'M4 5h16v4H4zM6 9v10h12V9M10 13h4',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  branch: 'M7 4v12M7 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM17 8c0 4-10 2-10 7',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
