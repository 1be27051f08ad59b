import TableModel

/// Checks of a ceremony's facts from a journal.
extension TableState {
    func misfit(ofCeremony fact: Fact) -> FactMisfit? {
        if core.stage == .closed { return .phase }
        switch fact {
        case .declared(let id, _): return slot(of: id) == nil ? .player : nil
        case .ceremoniesBegan: return ceremonies == nil ? nil : .ceremony
        default: break
        }
        guard let ceremonies else { return .ceremony }
        if case .secretRevealed(let shoe) = fact {
            if isInRound { return .phase }
            return ceremonies.played.map { !$0.isRevealed && $0.attempt.shoe == shoe } == true ? nil : .ceremony
        }
        if case .ceremonyOpened(let shoe, _) = fact {
            return ceremonies.next == nil && shoe == comingShoe ? nil : .ceremony
        }
        guard let next = ceremonies.next else { return .ceremony }
        switch fact {
        case .contributed(let id, _, _):
            if slot(of: id) == nil { return .player }
            return next.isOpen && !ceremonies.excluded.contains(id) ? nil : .ceremony
        case .listDue(let until):
            guard next.isOpen else { return .ceremony }
            return until.map(isSane) ?? true ? nil : .time
        case .listClosed(let until):
            guard next.isOpen else { return .ceremony }
            return isSane(until) ? nil : .time
        case .revealed(let id, let contribution):
            guard case .revealing = next.stage, let index = next.index(of: id), next.contributions[index].reveal == nil,
                next.isCommitted(contribution, by: index, at: ceremonies.table)
            else { return .ceremony }
            return nil
        case .attemptVoided:
            guard case .revealing = next.stage, !ceremonies.isLastAttempt else { return .ceremony }
            return nil
        default: return nil
        }
    }

    /// Whether a key is what the ceremony gives. A table without ceremonies takes any source, one at a time.
    func misfit(ofSupplied source: ShoeSource) -> FactMisfit? {
        guard core.nextSource == nil else { return .shoe }
        guard let ceremonies else { return nil }
        guard let next = ceremonies.next, case .revealing = next.stage, case .keyed(let key) = source, key == next.key else {
            return .ceremony
        }
        return nil
    }
}
