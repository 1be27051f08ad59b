import Journal

extension FaultStorage {
    /// The folder that a restart finds after a crash now, by chance of a seed.
    package func survivors(_ loss: Loss, seed: UInt64) -> FaultStorage {
        var generator = SeededGenerator(seed: seed)
        return survivors(loss, using: &generator)
    }
}
