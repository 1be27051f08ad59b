#if !canImport(Combine)
    import EventStreams
    import Foundation

    extension NotificationCenter {
        /// Emits notifications of one name, from one object or all. Drops those without demand.
        public struct Publisher: EventStreams.Publisher {
            public typealias Output = Notification
            public typealias Failure = Never

            public let center: NotificationCenter
            public let name: Notification.Name
            public let object: AnyObject?

            public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
                self.center = center
                self.name = name
                self.object = object
            }

            public func receive<S: Subscriber>(subscriber: S) where S.Input == Notification, S.Failure == Never {
                let subject = PassthroughSubject<Notification, Never>()
                let observation = Observation(center)
                let sent = Carried(subject)
                observation.start(
                    center.addObserver(forName: name, object: object, queue: nil) { sent.value.send($0) })
                subject.handleEvents(receiveCancel: { observation.stop() }).subscribe(subscriber)
            }
        }

        public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> Publisher {
            Publisher(center: self, name: name, object: object)
        }
    }

    extension NotificationCenter.Publisher: Equatable {
        public static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
        }
    }

    /// An observer, removed once.
    private final class Observation {
        private let center: NotificationCenter
        private var observer: (any NSObjectProtocol)?

        init(_ center: NotificationCenter) {
            self.center = center
        }

        func start(_ observer: any NSObjectProtocol) {
            self.observer = observer
        }

        func stop() {
            if let observer { center.removeObserver(observer) }
        }
    }
#endif
