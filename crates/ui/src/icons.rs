//! The icons: 16 px grid, 1.5 px stroke, in the current text colour.

use leptos::prelude::*;

/// An icon. Each is used beside a word or on a control with a name, never alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is what it is called")]
pub enum Icon {
    Mark,
    Chevron,
    Check,
    Cross,
    Question,
    Spinner,
    Pause,
    Barred,
    Warning,
    Clock,
    Refresh,
    Plus,
    Chats,
    Chat,
    Tools,
    List,
    More,
    Pin,
    Sliders,
    Send,
    Stop,
    Copy,
    Lock,
    Eye,
    Down,
    Pencil,
    Clip,
    Picture,
    Puzzle,
    Back,
}

impl Icon {
    fn path(self) -> &'static str {
        match self {
            // Two panes, the narrow one attached to the wide one by a dot.
            Self::Mark => {
                "M2.5 2.75h5.5a1 1 0 0 1 1 1v8.5a1 1 0 0 1-1 1H2.5a1 1 0 0 1-1-1v-8.5a1 1 0 0 1 1-1ZM12.5 2.75h1a1 1 0 0 1 1 1v8.5a1 1 0 0 1-1 1h-1a1 1 0 0 1-1-1v-8.5a1 1 0 0 1 1-1ZM10.25 8h.01"
            }
            Self::Chevron => "m6 4 4 4-4 4",
            Self::Check => "m3 8.5 3.25 3.25L13 5",
            Self::Cross => "m4 4 8 8M12 4l-8 8",
            Self::Question => {
                "M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5ZM6.25 6.4a1.8 1.8 0 1 1 2.6 1.6c-.55.3-.85.6-.85 1.25M8 11.4h.01"
            }
            Self::Spinner => "M8 1.75A6.25 6.25 0 1 1 1.75 8",
            Self::Pause => "M5.5 3.5v9M10.5 3.5v9",
            Self::Barred => "M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5ZM3.6 3.6l8.8 8.8",
            Self::Warning => {
                "M8 6v3.25M8 11.4h.01M7.1 2.4 1.6 12a1.05 1.05 0 0 0 .9 1.6h11a1.05 1.05 0 0 0 .9-1.6L8.9 2.4a1.04 1.04 0 0 0-1.8 0Z"
            }
            Self::Clock => "M8 14.25a6.25 6.25 0 1 0 0-12.5 6.25 6.25 0 0 0 0 12.5ZM8 4.5V8l2.25 1.5",
            Self::Refresh => "M13.5 8a5.5 5.5 0 1 1-1.6-3.9L13.5 5.7M13.5 2.5v3.2h-3.2",
            Self::Plus => "M8 3v10M3 8h10",
            // A clock that runs back.
            Self::Chats => "M2.5 8A5.5 5.5 0 1 0 4.1 4.1L2.5 5.7M2.5 2.5v3.2h3.2M8 5v3l2 1.4",
            Self::Chat => {
                "M2.5 3h11a1 1 0 0 1 1 1v6.5a1 1 0 0 1-1 1H7l-3.25 2.75V11.5H2.5a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1Z"
            }
            Self::Tools => {
                "M9.6 4.2a.7.7 0 0 0 0 1l1.2 1.2a.7.7 0 0 0 1 0l2.2-2.2a4 4 0 0 1-5.3 5.3l-4.3 4.3a1.4 1.4 0 0 1-2-2l4.3-4.3a4 4 0 0 1 5.1-5.3Z"
            }
            Self::Sliders => {
                "M2 4.5h5.5M11.5 4.5H14M2 11.5h2.5M8.5 11.5H14M9.5 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6.5 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z"
            }
            Self::List => "M2.5 4h.01M2.5 8h.01M2.5 12h.01M5.5 4H14M5.5 8H14M5.5 12H14",
            Self::More => "M3.25 8h.5M7.75 8h.5M12.25 8h.5",
            Self::Pin => "M5.5 2.5h5M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5",
            Self::Send => "M8 13V3M3.75 7.25 8 3l4.25 4.25",
            Self::Stop => "M4.5 4.5h7v7h-7Z",
            Self::Copy => {
                "M6.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1ZM3.5 10.5a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1"
            }
            Self::Lock => {
                "M4 7.25h8a1 1 0 0 1 1 1v4.5a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1v-4.5a1 1 0 0 1 1-1ZM5.25 7.25V5a2.75 2.75 0 0 1 5.5 0v2.25"
            }
            Self::Eye => {
                "M1.5 8S3.75 3.5 8 3.5 14.5 8 14.5 8 12.25 12.5 8 12.5 1.5 8 1.5 8ZM8 9.75a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5Z"
            }
            Self::Pencil => "M10.5 3.25 12.75 5.5 5.5 12.75l-3 .75.75-3ZM9.25 4.5l2.25 2.25",
            Self::Clip => {
                "m13 7.5-5.2 5.2a3.3 3.3 0 0 1-4.6-4.6l5.5-5.5a2.2 2.2 0 0 1 3.1 3.1l-5.3 5.3a1.1 1.1 0 0 1-1.6-1.6L9.6 4.8"
            }
            Self::Picture => {
                "M3 2.75h10a1 1 0 0 1 1 1v8.5a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-8.5a1 1 0 0 1 1-1ZM2.5 11l3.25-3.25 2.5 2.5 2-2L13.5 11.5M10 5.75h.01"
            }
            Self::Back => "m10 4-4 4 4 4",
            Self::Puzzle => {
                "M6.25 4a1.75 1.75 0 0 1 3.5 0v.5h2.5a1 1 0 0 1 1 1v2.25h-.75a1.75 1.75 0 0 0 0 3.5h.75v1.5a1 1 0 0 1-1 1h-8.5a1 1 0 0 1-1-1V5.5a1 1 0 0 1 1-1h2.5Z"
            }
            Self::Down => "M8 3v10M3.75 8.75 8 13l4.25-4.25",
        }
    }
}

/// Renders an icon. It is hidden from screen readers: the word or name beside it is read.
pub fn icon(icon: Icon) -> AnyView {
    let class = match icon {
        Icon::Spinner => "icon spin",
        Icon::Stop => "icon solid",
        Icon::Chevron => "icon chevron",
        Icon::Mark
        | Icon::Check
        | Icon::Cross
        | Icon::Question
        | Icon::Pause
        | Icon::Barred
        | Icon::Warning
        | Icon::Clock
        | Icon::Refresh
        | Icon::Plus
        | Icon::Chats
        | Icon::Chat
        | Icon::Tools
        | Icon::List
        | Icon::More
        | Icon::Pin
        | Icon::Sliders
        | Icon::Send
        | Icon::Copy
        | Icon::Lock
        | Icon::Eye
        | Icon::Down
        | Icon::Pencil
        | Icon::Clip
        | Icon::Picture
        | Icon::Puzzle
        | Icon::Back => "icon",
    };
    view! {
        <svg class=class viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d=icon.path()></path>
        </svg>
    }
    .into_any()
}
